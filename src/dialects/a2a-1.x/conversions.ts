import type { Conversion } from './retyped.ts';

/** What becomes of a field whose type differs between versions of A2A 1.x in a way that no rule knows. */
export interface FieldConversions {
  /** From the canonical form to that of the version; undefined where the version has no place for the value. */
  readonly toVersion: Conversion;
  /** From the form of the version to the canonical one. */
  readonly fromVersion: Conversion;
}

/**
 * Conversions written by hand, by version and the field's name in the canonical form, such as
 * `1.1 lf.a2a.v1.AgentCapabilities.streaming`. `npm run spec:update` lists those that are missing: until they are written, the
 * values are lost.
 */
export const conversions: Readonly<Record<string, FieldConversions>> = {};

/**
 * Values of fields that a version requires and callers of others need not send, by version and the field's name in the canonical
 * form. A field has the default of its type without a row; a message has none: `npm run spec:update` lists those that are
 * missing, which are left out until they are written.
 */
export const requiredValues: Readonly<Record<string, () => unknown>> = {};
