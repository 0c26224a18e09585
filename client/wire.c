/* Frames: see client.h. Nothing here trusts a length before it has been checked. */
#include "client.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0 /* there the socket itself has an option for it */
#endif

static const char magic[4] = {'l', 'a', 'c', '1'};

static bool buffer_reserve(struct buffer *buffer, size_t more) {
    if (!buffer->failed && more <= buffer->room - buffer->length) return true;
    size_t room = (buffer->length + more) * 2 + 4096;
    bool is_sane = !buffer->failed && more <= SIZE_MAX / 8;
    unsigned char *data = is_sane ? realloc(buffer->data, room) : NULL;
    buffer->failed = data == NULL;
    if (data != NULL) {
        buffer->data = data;
        buffer->room = room;
    }
    return data != NULL;
}

void buffer_add(struct buffer *buffer, const void *data, size_t length) {
    if (length == 0 || !buffer_reserve(buffer, length)) return;
    memcpy(buffer->data + buffer->length, data, length);
    buffer->length += length;
}

void buffer_number(struct buffer *buffer, uint32_t number) {
    unsigned char bytes[4];
    for (int pos = 0; pos < 4; pos++) bytes[pos] = (unsigned char)(number >> (24 - 8 * pos));
    buffer_add(buffer, bytes, sizeof bytes);
}

void buffer_text(struct buffer *buffer, const char *text) {
    size_t length = strlen(text);
    buffer->failed = buffer->failed || length > UINT32_MAX;
    buffer_number(buffer, (uint32_t)length);
    buffer_add(buffer, text, length);
}

void buffer_texts(struct buffer *buffer, char *const *texts) {
    uint32_t count = 0;
    while (texts[count] != NULL) count++;
    buffer_number(buffer, count);
    for (uint32_t pos = 0; pos < count; pos++) buffer_text(buffer, texts[pos]);
}

void buffer_free(struct buffer *buffer) {
    free(buffer->data);
    memset(buffer, 0, sizeof *buffer);
}

bool frame_send(int handle, char kind, const struct buffer *body) {
    struct buffer frame = {0};
    if (body->failed || body->length > UINT32_MAX) return false;
    buffer_add(&frame, magic, sizeof magic);
    buffer_add(&frame, &kind, 1);
    buffer_number(&frame, (uint32_t)body->length);
    buffer_add(&frame, body->data, body->length);
    size_t sent = 0;
    while (!frame.failed && sent < frame.length) {
        ssize_t got = send(handle, frame.data + sent, frame.length - sent, MSG_NOSIGNAL);
        if (got > 0) {
            sent += (size_t)got;
        } else if (got == 0 || errno != EINTR) {
            break;
        }
    }
    bool is_sent = !frame.failed && sent == frame.length;
    buffer_free(&frame);
    return is_sent;
}

static bool receive(int handle, unsigned char *data, size_t length) {
    while (length > 0) {
        ssize_t got = recv(handle, data, length, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false; /* closed, or the time limit of the socket */
        data += got;
        length -= (size_t)got;
    }
    return true;
}

static uint32_t number_at(const unsigned char *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static bool frame_receive(int handle, struct answer *answer) {
    unsigned char header[sizeof magic + 5];
    memset(answer, 0, sizeof *answer);
    if (!receive(handle, header, sizeof header)) return false;
    size_t length = number_at(header + sizeof magic + 1);
    if (memcmp(header, magic, sizeof magic) != 0 || length > FRAME_LIMIT) return false;
    answer->kind = (char)header[sizeof magic];
    if (!buffer_reserve(&answer->body, length + 1)) return false;
    answer->body.length = length;
    return receive(handle, answer->body.data, length);
}

/* Takes a number from the front of what is left; false if it is not there. */
static bool take_number(struct text *left, uint32_t *number) {
    if (left->length < 4) return false;
    *number = number_at(left->data);
    *left = (struct text){left->data + 4, left->length - 4};
    return true;
}

static bool take_text(struct text *left, struct text *text) {
    uint32_t length;
    if (!take_number(left, &length) || length > left->length) return false;
    *text = (struct text){left->data, length};
    *left = (struct text){left->data + length, left->length - length};
    return true;
}

static bool take_words(struct buffer *body, char ***words) {
    size_t count = 0;
    if (body->length == 0 || body->data[body->length - 1] != '\0') return false;
    for (size_t pos = 0; pos < body->length; pos++) count += body->data[pos] == '\0';
    *words = calloc(count + 1, sizeof **words);
    if (*words == NULL) return false;
    char *word = (char *)body->data;
    for (size_t pos = 0; pos < count; word += strlen(word) + 1) (*words)[pos++] = word;
    return true;
}

static bool answer_read(struct answer *answer) {
    struct text left = {answer->body.data, answer->body.length};
    if (answer->kind == 'X') return take_words(&answer->body, &answer->words);
    if (!take_number(&left, &answer->status) || answer->status > 255) return false;
    if (answer->kind == 'A') {
        if (!take_text(&left, &answer->out) || !take_text(&left, &answer->err)) return false;
    } else if (answer->kind == 'R') {
        if (!take_number(&left, &answer->skip[0])) return false;
        if (!take_number(&left, &answer->skip[1])) return false;
    } else {
        return false; /* 'N', or a kind that is not known here */
    }
    return left.length == 0;
}

bool answer_receive(int handle, struct answer *answer) {
    for (int left = MOST_AT_WORK; left > 0 && frame_receive(handle, answer); left--) {
        if (answer->kind != 'W') return answer_read(answer) || (answer_free(answer), false);
        answer_free(answer);
    }
    answer_free(answer);
    return false;
}

void answer_free(struct answer *answer) {
    free(answer->words);
    answer->words = NULL;
    buffer_free(&answer->body);
}
