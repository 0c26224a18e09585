/* Written by `make docs` from Kind in src/laconic/server/wire.py. */
#ifndef LACONIC_KINDS_H
#define LACONIC_KINDS_H

enum kind {
    HOOK = 'h',
    QUESTION = 'q',
    SHELL = 's',
    RUN = 'r',
    MORE = 'm',
    DONE = 'd',
    STATUS = 'i',
    STOP = 'z',
    AT_WORK = 'W',
    ANSWER = 'A',
    SHOWN = 'P',
    RAW = 'R',
    BECOME = 'X',
    BOXED = 'B',
    COLD = 'N',
    NOTED = 'J',
};

#endif
