/* Asks the kernel what the network of the box refused: it counts (RFC 4293; RFC 4022 and 4113 for
 * TCP and UDP), and nobody but the command has used this network. */
#include "box.h"

#define COUNTERS "/proc/net/snmp"
#define COUNTERS_OF_6 "/proc/net/snmp6"

static bool read_text(const char *path, char *text, size_t room) {
    int handle = open(path, O_RDONLY | O_CLOEXEC);
    size_t length = 0;
    ssize_t got = 0;
    if (handle < 0) return false;
    while (length < room - 1 && (got = read(handle, text + length, room - 1 - length)) > 0) length += (size_t)got;
    close(handle);
    text[length] = '\0';
    return length > 0;
}

/* Finds a counter in two lines with the same beginning: the first has names, the second numbers. */
static unsigned long counted(const char *text, const char *group, const char *name) {
    char names[2048], numbers[2048], *rest = NULL, *other = NULL;
    const char *first = strstr(text, group);
    const char *second = first == NULL ? NULL : strstr(first + 1, group);
    if (second == NULL) return 0;
    snprintf(names, sizeof names, "%.*s", (int)strcspn(first, "\n"), first);
    snprintf(numbers, sizeof numbers, "%.*s", (int)strcspn(second, "\n"), second);
    char *word = strtok_r(names, " ", &rest), *number = strtok_r(numbers, " ", &other);
    while (word != NULL && number != NULL && strcmp(word, name) != 0) {
        word = strtok_r(NULL, " ", &rest);
        number = strtok_r(NULL, " ", &other);
    }
    return word == NULL || number == NULL ? 0 : strtoul(number, NULL, 10);
}

static unsigned long counted_for_6(const char *text, const char *name) {
    const char *found = strstr(text, name);
    return found == NULL ? 0 : strtoul(found + strlen(name), NULL, 10);
}

int refused_by_network(void) {
    static char text[16384];
    int found = 0;
    if (read_text(COUNTERS, text, sizeof text)) {
        if (counted(text, "Ip: ", "OutNoRoutes") > 0) found |= NO_ROUTE;
        if (counted(text, "Udp: ", "NoPorts") > 0) found |= NO_PORT;
        if (counted(text, "Tcp: ", "AttemptFails") > 0) found |= NO_SERVER;
    }
    if (read_text(COUNTERS_OF_6, text, sizeof text)) {
        if (counted_for_6(text, "Ip6OutNoRoutes") > 0) found |= NO_ROUTE;
        if (counted_for_6(text, "Udp6NoPorts") > 0) found |= NO_PORT;
    }
    return found;
}
