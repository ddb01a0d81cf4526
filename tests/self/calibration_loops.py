"""Writes new calibration loops, in the form of tests/data/calibration/loops.tsv and with its words, to stdout: loops that
nobody has measured yet. calibrate LOOPS --measure measures them.
usage: calibration_loops.py RECORDING SEED COUNT    COUNT loops of each group

Every loop counts register 3 down and goes on while predicate 1 says that it is above 0. What it computes means nothing:
destinations are registers 16 to 29, sources 32 to 39, so no result is read, but in a `chain`, which ends as a compiled
loop does: sums, clock, 64-bit subtraction and comparison."""
import random
import sys

ZERO = 0xff
# KIND: which of the sources A, B and C are registers, in capitals where they are pairs; how its destination is drawn.
KINDS = {
    'NOP': ('', None), 'FFMA': ('abc', 'd'), 'FFMA.UR': ('ac', 'd'), 'FADD': ('ab', 'd'), 'FMUL': ('ab', 'd'),
    'IADD3': ('abc', 'd'), 'IADD3.X': ('abc', 'd'), 'LOP3': ('abc', 'd'), 'SEL': ('ab', 'd'), 'MOV': ('b', 'd'),
    'SHF': ('ab', 'd'), 'FMNMX': ('ab', 'd'), 'IABS': ('b', 'd'), 'LEA': ('ab', 'd'), 'PRMT': ('abc', 'd'),
    'VIMNMX': ('ab', 'd'), 'VIADD': ('a', 'd'), 'IMAD': ('abc', 'd'), 'IMAD.U32': ('c', 'd'), 'IMAD.IMM': ('a', 'd'),
    'CS2R': ('', 'pair'), 'UIADD3': ('', 'uniform'), 'ISETP.P3': ('ab', None), 'ISETP.P4': ('ab', None),
    'ISETP.P5': ('ab', None), 'FSETP.P3': ('ab', None), 'FSETP.P4': ('ab', None), 'FSETP.P5': ('ab', None),
    'S2R': ('', 'd'), 'LDC': ('', 'd'), 'LDC.64': ('', 'pair'), 'MUFU': ('b', 'd'), 'POPC': ('b', 'd'),
    'R2UR': ('a', 'uniform'), 'S2UR': ('', 'uniform'), 'IMAD.WIDE': ('abC', 'pair'),
    'DFMA': ('ABC', 'pair'), 'DADD': ('AC', 'pair'), 'DMUL': ('AB', 'pair')}
# What stands in the bytes of A, B and C where they are no registers; 0 where it is not said.
FIXED = {'FFMA.UR': (0, 0x20, 0), 'SHF': (0, 0, 0xff), 'LEA': (0, 0, 0xff), 'IMAD.U32': (0xff, 0xff, 0),
         'IMAD.IMM': (0, 4, 0xff), 'VIADD': (0, 5, 0), 'UIADD3': (0x1e, 1, 0x3f), 'LDC': (0xff, 0, 0), 'LDC.64': (0xff, 0, 0)}
FIXED.update({kind: (0, 0, 0x70) for kind in KINDS if kind.startswith('ISETP')})
ALU = ['IADD3', 'LOP3', 'SEL', 'ISETP.P3', 'ISETP.P4', 'MOV', 'SHF', 'FMNMX', 'IABS', 'LEA', 'IADD3.X', 'PRMT', 'FSETP.P3', 'VIMNMX']
MIXED = ['FFMA'] * 6 + ['FADD'] * 2 + ['FMUL'] * 2 + ['IADD3'] * 3 + ['FFMA.UR'] * 2 + [
    'IMAD', 'IMAD.U32', 'MOV', 'CS2R', 'UIADD3', 'LOP3', 'ISETP.P5', 'SEL', 'NOP']
INTEGER = ['IADD3'] * 3 + ['IMAD'] * 3 + ['LOP3', 'SHF', 'ISETP.P3', 'SEL', 'MOV', 'IMAD.U32', 'IMAD.IMM', 'UIADD3', 'LEA', 'VIADD']
FMA_ALU = ['FFMA', 'FADD', 'FMUL', 'IADD3', 'LOP3']
FP64 = ['DFMA'] * 3 + ['DADD'] * 2 + ['DMUL'] * 2
QUEUES = ['S2R', 'LDC', 'LDC.64', 'MUFU', 'R2UR', 'S2UR', 'POPC']
# group: kinds, whether sources are registers, share of yields, share with reuse bits
GROUPS = {
    'nop': (['NOP'], False, 0, 0), 'nop_yield': (['NOP'], False, .35, 0), 'ffma': (['FFMA'], False, 0, 0),
    'ffma_yield': (['FFMA'], False, .35, 0), 'ffma_registers': (['FFMA'], True, 0, 0), 'ffma_reuse': (['FFMA'], True, 0, .6),
    'ffma_reuse_yield': (['FFMA'], True, .35, .6), 'alu': (ALU + ['NOP'] * 6, False, 0, 0), 'alu_reuse_yield': (ALU, True, .3, .4),
    'ffma_alu': (FMA_ALU, False, 0, 0), 'ffma_alu_yield': (FMA_ALU, False, .35, 0), 'mixed_yield': (MIXED, False, .3, 0),
    'mixed_reuse_yield': (MIXED, True, .3, .4), 'integer_reuse_yield': (INTEGER, True, .3, .4),
    'uniform': (['UIADD3'] * 4 + ['NOP', 'FFMA', 'IADD3'], False, .2, 0), 'wide': (['IMAD.WIDE'] * 3 + ['NOP', 'FFMA', 'IADD3', 'IMAD'], True, .2, .3),
    'fp64': (FP64 + MIXED, True, .2, .4)}
STALLS, WEIGHTS = [1, 2, 3, 4, 5, 6, 7, 8, 10, 13], [40, 20, 7, 15, 5, 6, 2, 2, 2, 1]
KEEPING_MOST = 11  # a longer stall has no code in which the warp keeps issuing


class Loop:
    def __init__(self):
        self.instructions = []  # [text up to the colon, stall, yields, rest of the control bits]

    def add(self, name, stall, yields=False, rest=''):
        self.instructions.append([name, stall, yields or stall > KEEPING_MOST, rest])

    def count(self):
        """Adds the counter: it is decremented first and compared six cycles later, fourteen before the branch."""
        self.instructions.insert(0, ['IADD3.MINUS1/0303ffff', 1, False, ''])
        passed, at = 0, len(self.instructions)
        for i, instruction in enumerate(self.instructions):
            if passed >= 6:
                at = i
                break
            passed += instruction[1]
        if at == len(self.instructions):
            self.instructions[0][1] = 6
        rest = sum(instruction[1] for instruction in self.instructions[at:])
        stall = 1 if rest >= 14 else min(14, 14 - rest)
        self.instructions.insert(at, ['ISETP.P1/0003ff70', stall, stall > KEEPING_MOST, ''])

    def write(self, group, number, position):
        texts = ['%s:%d%s%s' % (name, stall, 'y' if yields else '', rest) for name, stall, yields, rest in self.instructions]
        runs = []
        for text in texts + ['BRA:5']:
            if runs and runs[-1][0] == text:
                runs[-1][1] += 1
            else:
                runs.append([text, 1])
        print('loop\t%s\t%d\t%d\t-\t-\t-\t-\t-\t%s' % (
            group, number, position, ' '.join(text if times == 1 else '%s*%d' % (text, times) for text, times in runs)))


def name_of(kind, draw, registers):
    """The instruction with its registers, and its sources by slot."""
    sources, destination = KINDS[kind]
    fixed = FIXED.get(kind, (0, 0, 0))
    byte = {None: 0, 'd': 16 + draw.randrange(14), 'pair': 16 + 2 * draw.randrange(7), 'uniform': 10 + 2 * draw.randrange(7)}[destination]
    if kind == 'NOP':
        return kind, []
    slots = [0, 0, 0]
    for i, slot in enumerate('abc'):
        slots[i] = fixed[i]
        if slot in sources.lower():
            slots[i] = 32 + draw.randrange(8) if registers and draw.random() > .05 else ZERO
        if slot.upper() in sources and slots[i] != ZERO:
            slots[i] &= ~1
    return '%s/%02x%02x%02x%02x' % (kind, byte, *slots), slots


def add_random(loop, draw, kinds, registers, yields, reuses, rest=''):
    kind = draw.choice(kinds)
    name, slots = name_of(kind, draw, registers)
    stall = draw.choices(STALLS, WEIGHTS)[0]
    is_yield = draw.random() < yields or stall > KEEPING_MOST
    reuse = 0
    if not is_yield and draw.random() < reuses:
        for i, slot in enumerate('abc'):
            if slot in KINDS[kind][0].lower() and slots[i] != ZERO and draw.random() < .5:
                reuse |= 1 << i
    loop.add(name, stall, is_yield, rest + ('u%x' % reuse if reuse else ''))


def random_loop(draw, group):
    loop = Loop()
    for _ in range(draw.randrange(6, 56)):
        add_random(loop, draw, *GROUPS[group])
    return loop


def scoreboards(draw):
    loop, pending = Loop(), set()
    for _ in range(draw.randrange(8, 40)):
        if draw.random() < .15:
            scoreboard = draw.randrange(6)
            pending.add(scoreboard)
            loop.add(name_of(draw.choice(QUEUES), draw, True)[0], draw.choice((1, 2, 2, 4)), draw.random() < .5, 'w%d' % scoreboard)
            continue
        wait = ''
        if pending and draw.random() < .25:
            scoreboard = draw.choice(sorted(pending))
            pending.discard(scoreboard)
            wait = 'm%02x' % (1 << scoreboard)
        add_random(loop, draw, *GROUPS['mixed_reuse_yield'], wait)
    loop.add('NOP', 1, False, 'm%02x' % sum(1 << scoreboard for scoreboard in pending) if pending else '')
    return loop


def chain(draw):
    """As a compiler writes it: each FFMA as soon as the accumulator is there, reuse bits where it does not yield."""
    loop, accumulators, links = Loop(), draw.randrange(1, 9), draw.randrange(3, 40)
    for i in range(links):
        k = i % accumulators
        # The next link of accumulator 0 comes 4 cycles after its last, or later.
        stall = max(1, 5 - accumulators) if k == accumulators - 1 else 1
        yields = stall >= 4
        loop.add('FFMA/%02x%02x%02x%02x' % (40 + k, draw.choice((32, 33)), draw.choice((34, 35)), 40 + k), stall, yields,
                 'u1' if not yields and draw.random() < .7 else '')
    for k in range(accumulators):
        loop.add('FADD/3232%02x00' % (40 + k), 4, draw.random() < .67)
    for name, stall, yields in (('CS2R/10000000', 6 + draw.randrange(2), True), ('IADD3.CARRY/121022ff', 4, True),
                                ('IADD3.X/131123ff', 2, False), ('ISETP.P3/00122470', 4, True), ('ISETP.EX/00132520', 13, True)):
        loop.add(name, stall, yields)
    return loop


def jump(draw):
    """A branch over some instructions, which every iteration takes, or none does."""
    loop = random_loop(draw, draw.choice(('nop', 'ffma', 'ffma_registers', 'ffma_reuse_yield', 'alu', 'mixed_reuse_yield')))
    loop.count()
    first = max(i for i, x in enumerate(loop.instructions) if x[0].startswith(('IADD3.MINUS1', 'ISETP.P1'))) + 1
    at = draw.randrange(first, len(loop.instructions) + 1)
    over = draw.randrange(0, min(20, len(loop.instructions) - at) + 1)
    kind = 'JUMP' if draw.random() < .75 else 'NEVER'
    loop.instructions.insert(at, ['%s>%d' % (kind, over + 1), draw.choice((1, 2, 5, 5, 5, 8)), draw.random() < .3, ''])
    if at == first or kind == 'JUMP':
        loop.instructions.insert(at, ['NOP', 11, False, ''])  # the comparison stays 14 cycles before the branch back
        loop.instructions.insert(at, ['NOP', 3, False, ''])
    return loop


def stores(draw):
    """Stores to shared memory, all lanes to one word, waited for as often as not."""
    loop, waits = Loop(), draw.random() < .5
    kinds = draw.choice((['NOP'], ['FFMA'], MIXED))
    for _ in range(draw.randrange(1, 9)):
        loop.add('STS/00ff%02x00' % (16 + draw.randrange(14)), draw.choice((1, 1, 2, 4, 4)), draw.random() < .2, 'r0')
        for _ in range(draw.choice((0, 0, 1, 4, 12))):
            add_random(loop, draw, kinds, True, .2, .3)
        if waits and draw.random() < .5:
            loop.add('NOP', 1, False, 'm01')
    loop.add('NOP', 1, False, 'm01')
    return loop


def long_loop(draw):
    """Longer than what a scheduler keeps of its instructions."""
    loop, kinds = Loop(), draw.choice((['NOP'], ['FFMA'], FMA_ALU, ['NOP', 'FFMA', 'IADD3']))
    stall = draw.choice((1, 1, 2))
    for _ in range(draw.randrange(150, 960)):
        loop.add(name_of(draw.choice(kinds), draw, False)[0], stall)
    return loop


def main():
    recording, seed, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    draw = random.Random(seed)
    print('# Calibration loops, written by calibration_loops.py with seed %d.\n# Measured never.' % seed)
    for line in open(recording, encoding='utf-8'):
        if line.startswith('word\t'):
            print(line, end='')
    makers = {group: lambda group=group: random_loop(draw, group) for group in GROUPS}
    makers.update(chain=lambda: chain(draw), scoreboards=lambda: scoreboards(draw), jump=lambda: jump(draw), store=lambda: stores(draw), long=lambda: long_loop(draw))
    for group, make in makers.items():
        for number in range(count):
            loop = make()
            if group != 'jump':
                loop.count()
            loop.write(group, number, draw.randrange(8))


if __name__ == '__main__':
    main()
