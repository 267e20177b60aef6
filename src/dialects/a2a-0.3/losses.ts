/** What the cards of A2A 0.3 have no place for, in either shape. */
export const cardLosses: readonly string[] = ['supportedInterfaces', 'securitySchemes', 'signatures'];
