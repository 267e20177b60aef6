import { isObject } from '../../../../core/model/json.ts';
import type { KnowledgeGraphPatch, KnowledgeUpdateParams } from '../../../../gen/knowledge-v1/types.ts';

export const objectKinds = ['resource', 'text', 'number', 'boolean'] as const;
export type ObjectKind = (typeof objectKinds)[number];

/** A change as it stands in the form, before anything is entered: all texts. */
export const emptyChange = {
  op: 'add' as 'add' | 'remove' | 'replace',
  ...{ subject: '', subjectType: '', predicate: '' },
  objectKind: 'resource' as ObjectKind,
  ...{ object: '', objectType: '', graph: '', certainty: '' },
  /** JSON, or empty. */
  provenance: '',
};

export type ProposedChange = Readonly<typeof emptyChange>;

/** What is wrong with a change, by field. */
export type Problems = Partial<Record<keyof ProposedChange, string>>;

/** The change in the form of the service, or what is wrong with it. The gateway's rules are not known here. */
export function patchOf(
  change: ProposedChange,
): { readonly patch: KnowledgeGraphPatch } | { readonly problems: Problems } {
  const { op, subject, subjectType, predicate, graph, certainty, objectType } = change;
  const problems: Problems = {};
  if (subject.trim() === '') problems.subject = 'Enter the id of the subject.';
  if (predicate.trim() === '') problems.predicate = 'Enter the id of the predicate.';
  const number = Number(certainty);
  if (certainty.trim() !== '' && !(number >= 0 && number <= 1)) problems.certainty = 'Enter a number from 0 to 1.';
  const provenance = jsonObject(change.provenance);
  if (provenance === undefined) problems.provenance = 'Enter a JSON object, or leave it empty.';
  const object = objectOf(change);
  if (typeof object === 'string') problems.object = object;
  if (Object.keys(problems).length > 0 || typeof object === 'string') return { problems };
  const statement = {
    subject: { id: subject.trim(), ...(subjectType.trim() && { type: subjectType.trim() }) },
    predicate: { id: predicate.trim() },
    object: { ...object, ...(objectType.trim() && { type: objectType.trim() }) },
    ...(graph.trim() && { graph: graph.trim() }),
    ...(certainty.trim() !== '' && { certainty: number }),
    ...(provenance && Object.keys(provenance).length > 0 && { provenance }),
  };
  return { patch: { op, statement } };
}

/** The object, or what is wrong with it. */
function objectOf({
  objectKind,
  object,
}: ProposedChange): { id: string } | { value: string | number | boolean } | string {
  const text = object.trim();
  if (objectKind === 'text') return { value: object };
  if (objectKind === 'resource') return text === '' ? 'Enter the id of the object.' : { id: text };
  if (objectKind === 'boolean')
    return /^(true|false)$/.test(text) ? { value: text === 'true' } : 'Enter true or false.';
  const value = Number(text);
  return text !== '' && Number.isFinite(value) ? { value } : 'Enter a number.';
}

/** The object in a text; an empty one for an empty text; undefined for anything else. */
export function jsonObject(text: string): Record<string, unknown> | undefined {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The request for some changes. */
export const requestOf = (
  mutations: readonly KnowledgeGraphPatch[],
  { justification, sourceAgentId }: { readonly justification: string; readonly sourceAgentId: string },
): KnowledgeUpdateParams => ({
  mutations: [...mutations],
  ...(justification.trim() && { justification: justification.trim() }),
  ...(sourceAgentId.trim() && { sourceAgentId: sourceAgentId.trim() }),
});
