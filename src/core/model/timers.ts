/** The longest delay that a timer of Node can have: milliseconds. */
export const longestTimer: number = 2 ** 31 - 1;
