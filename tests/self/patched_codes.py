"""Whether a cubin that calibrate_codes --patch wrote holds the codes of that set, each where the template says: from the begin
of a line, 8 quiet NOPs, the code, 8 quiet NOPs; its reads into registers of their own.
usage: patched_codes.py CODES GROUP NUMBER CUBIN"""
import re
import struct
import sys

BEFORE, BEHIND = [('CLOCK', 15, True, 0)] * 8, [('NOP', 15, True, 0)] * 8
LINE_BYTES, INSTRUCTION_BYTES = 128, 16


def of_text(code):
    for text in code.split():
        name, ahead, stall, yields, times = re.fullmatch(r'([A-Z]+)(?:>(\d+))?:(\d+)(y?)(?:\*(\d+))?', text).groups()
        yield from [(name, int(stall), bool(yields), int(ahead or 0))] * int(times or 1)


def of_bytes(data, count):
    """Instructions and the registers that they read the clock into; they wait for no scoreboard and set none."""
    instructions, registers = [], []
    for low, high in struct.iter_unpack('<QQ', data[:count * INSTRUCTION_BYTES]):
        name = {0x7918: 'NOP', 0x7805: 'CLOCK', 0x7947: 'JUMP'}.get(low & 0xffff)
        control, ahead = high >> 41, 0
        if name is None or control >> 5 != 0x3f:
            return None
        if name == 'JUMP':
            ahead = ((low >> 34) << 8 | (low >> 16 & 255)) // 4 + 1
        if name == 'CLOCK':
            registers.append(low >> 16 & 255)
            if high & (1 << 41) - 1 != 0x5000:
                return None
        instructions.append((name, control & 15, not control & 16, ahead))
    return instructions, registers


def main():
    path, group, number, cubin = sys.argv[1:]
    fields = next(line.rstrip('\n').split('\t') for line in open(path, encoding='utf-8') if line.startswith('codes\t%s\t%s\t' % (group, number)))
    data, at, taken = open(cubin, 'rb').read(), 0, 0
    for code in fields[5:]:
        wanted = BEFORE + list(of_text(code)) + BEHIND
        for at in range(at, len(data), LINE_BYTES):
            found = of_bytes(data[at:], len(wanted))
            if found and found[0] == wanted:
                break
        else:
            sys.exit('patched_codes.py: code %d of %s %s is not in %s' % (taken, group, number, cubin))
        if len(set(found[1])) != len(found[1]):
            sys.exit('patched_codes.py: code %d of %s %s reads twice into a register' % (taken, group, number))
        taken += 1
        at += LINE_BYTES


if __name__ == '__main__':
    main()
