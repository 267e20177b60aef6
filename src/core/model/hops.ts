/** How many gateways a call may pass, as `A2A-Hops` counts them: more is a circle. */
export const maxHops = 8;

/** The key of MCP's `_meta` that says the same where there are no headers. */
export const hopsMeta = 'a2a-gateway/hops';
