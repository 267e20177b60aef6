import type { JsonObject } from '../core/model/json.ts';
import type { CardFacts, CardFamily, Place } from './card-facts.ts';

/** How bad a finding is: clients cannot use the card or a part of it; something is likely to be wrong; worth knowing. */
export type Severity = 'error' | 'warning' | 'note';

/** A field that breaks a rule. */
export interface Found {
  readonly field: string;
  /** What is found, and what to do. */
  readonly message: string;
}

/** One rule about cards. */
export interface CardRule {
  readonly id: string;
  readonly severity: Severity;
  /** Sections of A2A 1.0.1 and 0.3.0 that the rule comes from. A family that is absent does not have the rule. */
  readonly sections: Readonly<Partial<Record<CardFamily, string>>>;
  check(facts: CardFacts): Iterable<Found>;
}

/** Something that is found at a field. */
export const at = (field: string, message: string): Found => ({ field, message });
/** Whether a value is a text with something to read. */
export const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';
/** Whether a field is not there, or empty as in protobuf. */
export const isAbsent = (value: unknown): boolean => value === undefined || value === null || value === '';

/** The fields of an object that must hold a text and do not. */
export const textless = ({ field, value }: Place<JsonObject>, ...names: readonly string[]): Found[] =>
  names.flatMap((name) => {
    const path = field === '' ? name : `${field}.${name}`;
    return isText(value[name]) ? [] : [at(path, 'is required: a text that is not empty')];
  });

/** Values that stand at more than one place. @param key undefined: not compared */
export function repeated<T>(all: readonly Place<T>[], key: (value: T) => string | undefined, what: string): Found[] {
  const first = new Map<string, string>();
  return all.flatMap(({ field, value }) => {
    const id = key(value);
    if (id === undefined) return [];
    const earlier = first.get(id);
    if (earlier !== undefined) return [at(field, `${what} as in ${earlier}: give each its own, or remove one`)];
    first.set(id, field);
    return [];
  });
}

/** Whether a URL leads to the machine of each client that calls it. */
export const isLoopback = ({ hostname }: URL): boolean => /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
