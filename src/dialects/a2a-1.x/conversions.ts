import type { Conversion } from './retyped.ts';

/** Conversions of a field whose type differs between versions of A2A 1.x in a way that no rule covers. */
export interface FieldConversions {
  /** From the canonical form to the version's; undefined if the version has no place for the value. */
  readonly toVersion: Conversion;
  /** From the form of the version to the canonical one. */
  readonly fromVersion: Conversion;
}

/**
 * Conversions written by hand, by version and the field's name in the canonical form, such as `1.1
 * lf.a2a.v1.AgentCapabilities.streaming`. `npm run spec:update` lists missing ones: until they are written, the values
 * are lost.
 */
export const conversions: Readonly<Record<string, FieldConversions>> = {};

/**
 * Values of fields that a version requires and callers of other versions need not send, by version and the field's name
 * in the canonical form. A field without a row has the default of its type; a message has no default: `npm run
 * spec:update` lists missing rows, and such fields are left out until they are written.
 */
export const requiredValues: Readonly<Record<string, () => unknown>> = {};
