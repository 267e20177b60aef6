import { isObject } from '../../core/model/json.ts';
import type { Api } from '../../gen/api.ts';
import { normalize } from '../../wire/protojson.ts';
import {
  type CardSigning,
  formOf,
  type SignedForm,
  unsigned,
  wholeForm,
  withoutEmpty,
} from '../kernel/card-signing.ts';

/**
 * How cards of A2A 1.0 are signed: as section 8.4.1 says, without defaults but where the proto says REQUIRED or
 * `optional`, which is what ProtoJSON leaves out; and as the official SDKs in JavaScript and Python do, without anything
 * that is empty. Both see what the proto knows and nothing else.
 */
export const v1CardSigning = (api: Api): CardSigning => ({
  forms: (document) => [...protoForms(api, unsigned(document)), ...wholeForm(document)],
  attach: (card, signatures) => ({ ...card, signatures: [...signatures] }),
});

function protoForms(api: Api, document: object): SignedForm[] {
  const card = normalized(api, document);
  if (!isObject(card)) return [];
  return [...formOf(withoutEmpty(card), card), ...formOf(card, card)];
}

/** Undefined for what no ProtoJSON parser takes. */
function normalized(api: Api, document: object): unknown {
  try {
    return normalize(api, `${api.package}.AgentCard`, document);
  } catch {
    return undefined;
  }
}
