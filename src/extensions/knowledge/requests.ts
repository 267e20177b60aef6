import { A2AError, type FieldViolation } from '../../core/model/errors.ts';
import type { JsonObject } from '../../core/model/json.ts';
import type { KnowledgeGraphPatch, KnowledgeUpdateParams } from '../../gen/knowledge-v1/types.ts';
import type { ChangeMeta } from './model/graph.ts';
import type { KGStatement, KnowledgePatch, PatchOp } from './model/knowledge.ts';

/** Checks of requests that types cannot express (Knowledge Graph extension, sections 2 to 4). */

const isOp = (op: string): op is PatchOp => op === 'add' || op === 'remove' || op === 'replace';

/** @throws A2AError `invalidParams` for a number that is not between 0 and 1 */
export function requireCertainty(field: string, certainty: number | undefined): void {
  const violations = certaintyFaults(field, certainty);
  if (violations.length > 0) throw A2AError.invalidParams(undefined, violations);
}

const certaintyFaults = (field: string, certainty = 1): FieldViolation[] =>
  certainty >= 0 && certainty <= 1 ? [] : [{ field, description: 'must be a number from 0 to 1' }];

/** Maximum number of mutations in one update. An update is one transaction, for which all others wait. */
const maxMutations = 10_000;

/** Maximum number of reported faults. */
const maxFaults = 20;

/**
 * Validates mutations and converts them to patches.
 *
 * @throws A2AError `invalidParams` that names the invalid fields, such as `mutations[0].statement.object`
 */
export function patchesOf(mutations: readonly KnowledgeGraphPatch[]): KnowledgePatch[] {
  if (mutations.length > maxMutations) {
    throw A2AError.invalidField('mutations', `must be at most ${maxMutations}`);
  }
  const faults: FieldViolation[] = [];
  const patches: KnowledgePatch[] = [];
  for (const [at, { op, statement }] of mutations.entries()) {
    const field = `mutations[${at}]`;
    if (!isOp(op)) faults.push({ field: `${field}.op`, description: 'must be add, remove or replace' });
    faults.push(...certaintyFaults(`${field}.statement.certainty`, statement.certainty));
    const object = objectOf(statement.object);
    if (object === undefined) {
      const description = 'must have either an id, or a value that is a string, a number or a boolean';
      faults.push({ field: `${field}.statement.object`, description });
    }
    if (faults.length >= maxFaults) break;
    if (isOp(op) && object) patches.push({ op, statement: { ...statement, object } });
  }
  if (faults.length > 0) throw A2AError.invalidParams(undefined, faults);
  return patches;
}

/**
 * Reads an object. Null means absent, since some clients write all fields. Undefined if the object contains neither an
 * id nor a value, or both.
 */
function objectOf({ id, value, type }: KnowledgeGraphPatch['statement']['object']): KGStatement['object'] | undefined {
  const typed = type === undefined ? {} : { type };
  if (id !== undefined) return value === undefined || value === null ? { id, ...typed } : undefined;
  const isLiteral = typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
  return isLiteral ? { value: value as string | number | boolean, ...typed } : undefined;
}

/** Fields of an update that are recorded in the provenance of its statements. */
const recordedKeys = ['sourceAgentId', 'taskId', 'sessionId', 'justification'] as const;

const recordOf = (request: KnowledgeUpdateParams): JsonObject =>
  Object.fromEntries(recordedKeys.flatMap((key) => (request[key] === undefined ? [] : [[key, request[key]]])));

export const metaOf = (request: KnowledgeUpdateParams, principal: string): ChangeMeta => ({
  ...recordOf(request),
  principal,
});

/**
 * Adds the recorded fields to the provenance of each added statement. Values that the statement already has take
 * precedence.
 */
export function recordedPatches(
  patches: readonly KnowledgePatch[],
  request: KnowledgeUpdateParams,
): readonly KnowledgePatch[] {
  const record = recordOf(request);
  if (Object.keys(record).length === 0) return patches;
  return patches.map(({ op, statement }) => {
    const provenance = { ...record, ...statement.provenance };
    return { op, statement: op === 'remove' ? statement : { ...statement, provenance } };
  });
}
