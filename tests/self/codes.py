"""Writes straight codes, in the form of tests/data/calibration/codes.tsv, to stdout: codes that nobody has measured yet.
calibrate_codes CODES --measure measures them.
usage: codes.py SEED JUDGE_SEED COUNT    COUNT sets of each group, and half as many of kept_ groups, drawn from JUDGE_SEED

A set is a code for each warp of a scheduler. A code is straight: NOPs, reads of the clock and branches ahead that are always
taken. It begins at the begin of a 128-byte line. What stands on the way that a branch leaves yields and has a stall count of
15."""
import random
import sys

LINE = 8
READS = 31
STALLS = [2, 3, 4, 5, 7]
# By the warps of a scheduler: all their codes are to fit into what it keeps of its instructions, with room to spare. Of random
# codes twice as long 54 % were timed exactly where of these 79 % are: lines of theirs had to be fetched anew.
LONGEST = {2: 48, 3: 40, 4: 26}
LINES_BEFORE = {2: 1, 3: 1, 4: 0}
KEEPING_MOST = 11  # a longer stall has no code in which the warp keeps issuing

HEAD = """\
# Straight codes, written by codes.py with the seeds %s and %s; the latter for groups kept_, which are for judging only.
# Measured never.
# Each set was written into a kernel, a code for each warp of a scheduler, and run on every scheduler of every SM, with the
# starts of its warps put off by drawn cycles. Before a code, from the begin of a line, stand 8 clock reads, and behind it 8 NOPs,
# of stall count 15 that yield. A start counts where each warp had come to the first of these reads before any came to its code.
# word  name  the 128 bits without registers and control bits, in hexadecimal
# codes  group  number  starts that counted  different timelines  code of each warp, the higher ones last
# timeline  how often it came  for each warp the cycles of its clock reads, the 8 before its code first: the first, counted from that
#   of the first warp, and CYCLES*TIMES for how many cycles later each other one came. Of the different ones up to 24 were drawn,
#   each as likely as any other.
# An instruction is NAME:CONTROL*TIMES, CONTROL its stall count, with a y where it yields. JUMP>N goes to the Nth instruction
# after it.
word	NOP	00000000000000000000000000007918
word	CLOCK	00000000000050000000000000007805
word	JUMP	00000000038000000000000000007947"""


class Code:
    def __init__(self):
        self.instructions = []
        self.reads = 0

    def add(self, name, stall, yields=False):
        self.instructions.append('%s:%d%s' % (name, stall, 'y' if yields or stall > KEEPING_MOST else ''))

    def nop(self, stall, yields=False):
        self.add('NOP', stall, yields)

    def read(self, stall, yields=False):
        if self.reads < READS:
            self.reads += 1
            self.add('CLOCK', stall, yields)
        else:
            self.nop(stall, yields)

    def jump(self, over, stall=5):
        """A branch over so many instructions."""
        self.add('JUMP>%d' % (over + 1), stall)
        for _ in range(over):
            self.nop(15)

    def jump_to(self, place):
        """To that place of the next line."""
        at = len(self.instructions) + 1
        self.jump((at // LINE + 1) * LINE + place - at)

    def __str__(self):
        runs = []
        for text in self.instructions:
            if runs and runs[-1][0] == text:
                runs[-1][1] += 1
            else:
                runs.append([text, 1])
        return ' '.join(text if times == 1 else '%s*%d' % (text, times) for text, times in runs)


def to_branch(draw, warps, stall, yields, every):
    """A code up to its branch, drawn places of which and of whose target in their lines; its last reads before the branch are so many
    instructions apart."""
    code, count = Code(), LINES_BEFORE[warps] * LINE + draw.randrange(LINE)
    for i in range(count):
        if i >= count - LINE and (count - 1 - i) % every == 0:
            code.read(stall, yields)
        else:
            code.nop(stall, yields)
    code.jump_to(draw.randrange(LINE))
    return code


def branch(draw, warps, stall, yields):
    every = 2 if stall < 4 else 1
    code = to_branch(draw, warps, stall, yields, every)
    for i in range(9):
        if i % every == 0:
            code.read(stall, yields)
        else:
            code.nop(stall, yields)
    return code


def measured(draw, stall, yields):
    """Reads every other cycle behind its branch, the even instructions or the odd ones."""
    code, odd = to_branch(draw, 2, stall, yields, LINE), draw.randrange(2)
    for i in range(24):
        if i % 2 == odd:
            code.read(1)
        else:
            code.nop(1)
    return code


def quiet(draw, stall, yields):
    """Stays out of the way behind its branch."""
    code = to_branch(draw, 2, stall, yields, LINE)
    for _ in range(10):
        code.read(15)
    return code


def straight(stall):
    """Has no branch."""
    code = Code()
    for i in range(56):
        if i % 4 == 0:
            code.read(stall)
        else:
            code.nop(stall)
    return code


def some(draw, code, least, most, stalls, yields):
    """A stretch of drawn instructions, no two reads at a stall count of 1 in a row."""
    follows = code.instructions and code.instructions[-1].startswith('CLOCK')
    for _ in range(draw.randrange(least, most)):
        stall, does_yield = draw.choice(stalls), draw.random() < yields
        if draw.random() < .5 and not follows:
            code.read(stall, does_yield)
            follows = stall < 2
        else:
            code.nop(stall, does_yield)
            follows = False


def random_code(draw, warps, yields):
    while True:
        code = Code()
        stalls = draw.choice(([1], [1, 1, 2], [1, 2, 3, 4, 5], [2], [1, 1, 1, 4], [4]))
        share = draw.choice((.2, .6)) if yields else 0
        for _ in range(draw.choice((2, 3)) if warps == 2 else 2):
            some(draw, code, 3, 16 if warps == 2 else 9, stalls, share)
            code.read(2)
            code.jump(draw.randrange(0, 18 if warps == 2 else 9), draw.choice((5, 5, 5, 6, 8)))
            code.read(draw.choice(stalls))
        some(draw, code, 6, 18 if warps == 2 else 12, stalls, share)
        if len(code.instructions) <= LONGEST[warps] and code.reads < READS:
            return code


def draw_stalls(draw, warps):
    """Each warp its own as often as all the same."""
    same = draw.choice(STALLS)
    return [same] * warps if draw.random() < .5 else [draw.choice(STALLS) for _ in range(warps)]


def branches(draw, warps, yields):
    return [branch(draw, warps, stall, yields) for stall in draw_stalls(draw, warps)]


def beside_quiet(draw):
    yields = draw.random() < .5
    stall, other = draw.choice(((7, 7), (2, 7), (7, 2), (3, 3)))
    return [measured(draw, stall, yields), quiet(draw, other, yields)]


def beside_straight(draw):
    return [measured(draw, 7, False), straight(draw.choice((2, 3, 5, 7)))]


def randoms(draw, warps, yields):
    return [random_code(draw, warps, yields) for _ in range(warps)]


GROUPS = {'quiet': beside_quiet, 'straight': beside_straight}
for number in (2, 3, 4):
    for is_yield in (False, True):
        suffix = ('_yield' if is_yield else '') + ('_%d' % number if number > 2 else '')
        GROUPS['branch' + suffix] = lambda draw, n=number, y=is_yield: branches(draw, n, y)
        GROUPS['random' + suffix] = lambda draw, n=number, y=is_yield: randoms(draw, n, y)


def main():
    seed, judge_seed, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    print(HEAD % (seed, judge_seed))
    for prefix, its_seed, its_count in (('', seed, count), ('kept_', judge_seed, count // 2)):
        draw = random.Random(int(its_seed))
        for group, make in GROUPS.items():
            for number in range(its_count):
                codes = make(draw)
                draw.shuffle(codes)
                print('codes\t%s%s\t%d\t-\t-\t%s' % (prefix, group, number, '\t'.join(map(str, codes))))


if __name__ == '__main__':
    main()
