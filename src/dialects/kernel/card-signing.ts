import type { AgentCard, AgentCardSignature } from '../../core/model/a2a.ts';
import { isObject, type JsonObject } from '../../core/model/json.ts';
import { canonicalJson } from '../../wire/canonical-json.ts';
import { bytesOf } from './rpc-status.ts';

/**
 * A text that a card's signature may be made over, and the part of the card that it covers. A card has several: A2A 1.0
 * section 8.4.1 defines the members that are left out before signing, and the official SDKs leave out more.
 */
export interface SignedForm {
  /** The payload of the signature (RFC 7515 section 3), before it is encoded. */
  readonly payload: string;
  /** The signed part of the card. It may have empty texts, lists and objects that the payload leaves out. */
  readonly vouched: object;
}

/** Signatures of a dialect's cards. Pure. */
export interface CardSigning {
  /**
   * Returns the texts that signatures of a document may be made over, the most common one first; none if it is not a card.
   */
  forms(document: object): SignedForm[];
  /** Returns the v1 card that this dialect encodes like `card`, but with these signatures. */
  attach(card: AgentCard, signatures: readonly AgentCardSignature[]): AgentCard;
}

export function unsigned(document: object): object {
  const { signatures: _, ...rest } = document as { readonly signatures?: unknown };
  return rest;
}

/**
 * Returns a list with one form; empty if the value is no object, or has no canonical form.
 *
 * @param write makes the text. Default: the canonical form
 */
export function formOf(
  value: unknown,
  vouched: object,
  write: (value: unknown) => string = canonicalJson,
): SignedForm[] {
  if (!isObject(value)) return [];
  try {
    return [{ payload: write(value), vouched }];
  } catch {
    return [];
  }
}

/** Returns the form of signers that leave nothing out. */
export const wholeForm = (document: object): SignedForm[] => formOf(unsigned(document), unsigned(document));

/** Returns every payload once, with the form that covers most. */
export function distinct(forms: readonly SignedForm[]): SignedForm[] {
  const byPayload = new Map<string, SignedForm>();
  for (const form of forms) {
    const known = byPayload.get(form.payload);
    if (!known || sizeOf(form.vouched) > sizeOf(known.vouched)) {
      byPayload.set(form.payload, form);
    }
  }
  return [...byPayload.values()];
}

export const sizeOf = (vouched: object): number => JSON.stringify(vouched).length;

/**
 * Returns a value without null and without empty texts, lists and objects, from the leaves on; undefined if nothing is
 * left. The official SDKs sign and verify cards in this form.
 */
export function withoutEmpty(value: unknown): unknown {
  if (value === '' || value === null || value === undefined) return undefined;
  if (Array.isArray(value)) {
    const items = value.map(withoutEmpty).filter((item) => item !== undefined);
    return items.length > 0 ? items : undefined;
  }
  if (!isObject(value)) return value;
  const members = Object.entries(value)
    .map(([name, member]): [string, unknown] => [name, withoutEmpty(member)])
    .filter(([, member]) => member !== undefined);
  return members.length > 0 ? Object.fromEntries(members) : undefined;
}

/** Returns the protected header of a signature; undefined if it cannot be read. */
export function signatureHeader(signature: unknown): JsonObject | undefined {
  const { protected: encoded } = isObject(signature) ? signature : {};
  if (typeof encoded !== 'string' || !/^[\w-]+$/.test(encoded)) return undefined;
  try {
    const header: unknown = JSON.parse(new TextDecoder().decode(bytesOf(encoded)));
    return isObject(header) ? header : undefined;
  } catch {
    return undefined;
  }
}
