import { type CardFacts, type CardFamily, listOf, objectOf, type Place } from './facts.ts';
import type { Severity } from './group-findings.ts';

/** A field that breaks a rule. */
export interface Found {
  readonly field: string;
  /** Text of the finding, with the remedy. */
  readonly message: string;
}

export interface CardRule {
  readonly id: string;
  readonly severity: Severity;
  /** Sections of A2A 1.0.1 and 0.3.0 that the rule comes from. A family that is absent does not have the rule. */
  readonly sections: Readonly<Partial<Record<CardFamily, string>>>;
  check(facts: CardFacts): Iterable<Found>;
}

/**
 * Returns a rule.
 *
 * @param places selects the places that it examines
 * @param fits returns whether the value at a place follows the rule
 * @param says describes a violation, with the remedy
 */
const rule =
  (severity: Severity) =>
  <T>(
    id: string,
    sections: CardRule['sections'],
    places: (facts: CardFacts) => Iterable<Place<T>>,
    fits: (value: T, facts: CardFacts) => boolean,
    says: string | ((value: T, facts: CardFacts) => string),
  ): CardRule => ({
    id,
    severity,
    sections,
    *check(facts) {
      for (const { field, value } of places(facts)) {
        if (!fits(value, facts)) yield { field, message: typeof says === 'string' ? says : says(value, facts) };
      }
    },
  });

export const error = rule('error');
export const warning = rule('warning');
export const note = rule('note');

/** Fields of the card, by their paths. */
export const fields =
  (...paths: readonly string[]) =>
  ({ card }: CardFacts): Place[] =>
    paths.map((field) => ({
      field,
      value: field.split('.').reduce<unknown>((value, name) => objectOf(value)[name], card),
    }));

/** Fields of objects in the card. */
export const fieldsIn =
  (objects: 'skills' | 'extensions', ...names: readonly string[]) =>
  (facts: CardFacts): Place[] =>
    facts[objects].flatMap(({ field, value }) =>
      names.map((name) => ({ field: `${field}.${name}`, value: value[name] })),
    );

/** Whether a value is a text that is not blank. */
export const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';
/** Whether a field is absent, or empty as in protobuf. */
export const isAbsent = (value: unknown): boolean => value === undefined || value === null || value === '';
export const isListed = (value: unknown): boolean => listOf(value).length > 0;
/** For places that break the rule by existing. */
export const never = (): boolean => false;

/**
 * Returns values that occur at more than one place: the later places, each with the first one. @param key undefined:
 * not compared
 */
export function repeated<T>(all: readonly Place<T>[], key: (value: T) => string | undefined): Place<string>[] {
  const first = new Map<string, string>();
  return all.flatMap(({ field, value }) => {
    const id = key(value);
    if (id === undefined) return [];
    const earlier = first.get(id);
    if (earlier !== undefined) return [{ field, value: earlier }];
    first.set(id, field);
    return [];
  });
}

/** Returns the later places of fields with equal text. */
export const repeatedTexts =
  (places: (facts: CardFacts) => readonly Place[]) =>
  (facts: CardFacts): Place<string>[] =>
    repeated(places(facts), (value) => (isText(value) ? value : undefined));

/** Returns the remedy for a value that also occurs at an earlier place. */
export const sameAs = (what: string) => (earlier: string) =>
  `${what} as in ${earlier}: give each its own, or remove one`;

/** Whether a URL leads to the machine of each client that calls it. */
export const isLoopback = ({ hostname }: URL): boolean => /^(?:(?:.+\.)?localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
