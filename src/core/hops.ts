/** How many gateways a call may pass, as `A2A-Hops` counts them: more is a circle. */
export const maxHops = 8;
