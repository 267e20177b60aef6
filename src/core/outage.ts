/** Milliseconds that the store may be away before those who only listen are told: mostly it is back in less. */
export const outagePatience = 20_000;
