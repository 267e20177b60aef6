// Generated from the tables of a2a-0.2-card, and the proto of the newest A2A 1.x, by `npm run generate`. Do not edit.

// biome-ignore-all lint: generated

/** Fields of A2A 1.x that are lost, by type. */
export const losses = {
  card: ['signatures', 'supportedInterfaces', 'securitySchemes', 'skills.securityRequirements'],
} as const satisfies Readonly<Record<string, readonly string[]>>;
