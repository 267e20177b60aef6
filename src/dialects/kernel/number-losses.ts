import { api } from '../../core/model/a2a.ts';
import { changedFields, changedNumbers, changeOf, hasInexact } from '../../wire/exact-numbers.ts';
import type { CodecContext, Salvaging } from './codec.ts';

/** Names of the fields of v1 that hold any JSON. */
let openFields: ReadonlySet<string> | undefined;

function fieldsOfAnyJson(): ReadonlySet<string> {
  openFields ??= new Set(
    Object.values(api.fields.messages)
      .flatMap(({ fields }) => fields)
      .filter(({ kind }) => kind === 'value' || kind === 'struct' || kind === 'list')
      .map(({ jsonName }) => jsonName),
  );
  return openFields;
}

/**
 * Notes the fields of a request whose numbers a double cannot hold as losses. Requests without such numbers cost a look-up.
 *
 * @param document the parsed JSON
 * @param request the decoded request, in v1
 */
export function noteLostDigits(document: unknown, request: unknown, { losses }: Pick<CodecContext, 'losses'>): void {
  if (!hasInexact(document)) return;
  for (const field of changedFields(document, request, fieldsOfAnyJson())) losses.add(field);
}

/** Reports numbers in an answer that a double cannot hold, in the metadata of its task. */
export function nameLostDigits(document: unknown, salvage: Salvaging | undefined): void {
  if (!salvage || !hasInexact(document)) return;
  // Some agents answer with a list that contains the answer.
  const named = changedNumbers(document).map((one) => ({
    path: one.path.replace(/^\[\d+\]\.?/, ''),
    reason: changeOf(one),
  }));
  salvage.name(named);
}
