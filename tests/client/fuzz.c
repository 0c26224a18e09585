/* Gives the client's reader of frames whatever a server might send: seeded, so always the same.
 *
 * usage: fuzz ROUNDS SEED. Each round makes a valid answer, damages it, and reads it from a socket.
 * Every other one is read plainly, as from a laconic-py of the client's own.
 * What was read must be whole, and what was not must have no texts: every byte of them is looked at, so
 * that a sanitizer sees a fault. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../client/client.h"

static uint64_t state;

static uint32_t chance(uint32_t below) { /* xorshift64* */
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (uint32_t)((state * 0x2545F4914F6CDD1Du) >> 32) % below;
}

static void add_bytes(struct buffer *body, uint32_t length) {
    char bytes[300];
    for (size_t pos = 0; pos < sizeof bytes; pos++) bytes[pos] = (char)chance(256);
    buffer_add(body, bytes, length);
}

static void make_answer(struct buffer *frame) {
    struct buffer body = {0};
    static const char kinds[] = {ANSWER, RAW, BECOME, AT_WORK, COLD, SHOWN, BOXED, NOTED, '?'};
    char kind = kinds[chance(sizeof kinds)];
    uint32_t out = chance(300), err = chance(300);
    buffer_number(&body, chance(300));
    buffer_number(&body, out);
    buffer_number(&body, err);
    if (kind == BECOME) buffer_add(&body, "a line", 7 - chance(2));
    if (kind == BOXED) buffer_add(&body, "bwrap\0--\0said", 14 - chance(3));
    if (kind == NOTED)
        for (int text = 0; text < 3; text++) buffer_number(&body, out), add_bytes(&body, out);
    if (kind == SHOWN) buffer_number(&body, chance(4) > 0 ? out : chance(700));
    if (kind == ANSWER || kind == SHOWN) add_bytes(&body, out), add_bytes(&body, err);
    buffer_add(frame, "lac1", 4);
    buffer_add(frame, &kind, 1);
    buffer_number(frame, (uint32_t)body.length);
    buffer_add(frame, body.data, body.length);
    buffer_free(&body);
}

static void damage(struct buffer *frame) {
    for (uint32_t left = chance(4); left > 0; left--) {
        uint32_t at = chance((uint32_t)frame->length);
        switch (chance(4)) {
        case 0: frame->data[at] = (unsigned char)chance(256); break;
        case 1: frame->data[at] ^= (unsigned char)(1u << chance(8)); break;
        case 2: frame->length = at > 0 ? at : 1; break;
        default: buffer_add(frame, "\xff\xff\xff\xff\0\0", chance(7)); break;
        }
    }
}

static unsigned sum;

static void look_at(const unsigned char *data, size_t length) {
    for (size_t pos = 0; pos < length; pos++) sum += data[pos];
}

int main(int argc, char **argv) {
    unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000, read = 0;
    state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    for (unsigned long round = 0; round < rounds; round++) {
        int ends[2];
        struct buffer frames = {0};
        struct answer answer;
        for (uint32_t left = 1 + chance(3); left > 0; left--) make_answer(&frames);
        damage(&frames);
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return 2;
        if (write(ends[0], frames.data, frames.length) != (ssize_t)frames.length) return 2;
        close(ends[0]);
        use_plainly(round % 2 == 0 ? ends[1] : -1, 1000, round % 4 == 0);
        bool is_whole = answer_receive(ends[1], &answer);
        for (int pos = 0; pos < 3; pos++) look_at(answer.texts[pos].data, answer.texts[pos].length);
        if (is_whole) {
            read++;
            const unsigned char *rest = answer.rest.data;
            if (answer.kind == BECOME || answer.kind == BOXED) look_at(rest, strlen((const char *)rest));
            buffer_free(&answer.rest);
        }
        close(ends[1]);
        buffer_free(&frames);
    }
    printf("%lu of %lu answers were whole, sum %u\n", read, rounds, sum);
    return read > 0 && read < rounds ? 0 : 1;
}
