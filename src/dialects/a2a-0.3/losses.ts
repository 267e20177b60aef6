/** Of parts that are no files. */
export const partLosses: readonly string[] = ['parts.mediaType', 'parts.filename'];

/** What the cards of A2A 0.3 have no place for, in either shape. */
export const cardLosses: readonly string[] = ['supportedInterfaces', 'securitySchemes', 'signatures'];
