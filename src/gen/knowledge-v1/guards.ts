// Generated from proto/a2agateway/knowledge/v1/knowledge.proto and codegen/schemas/knowledge.json by `npm run generate`. Do not edit.

import type { Guard } from '../api.ts';
import * as g from '../checks.ts';

type Fields = Readonly<Record<string, unknown>>;


export function isKGSubject(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.id === 'string' && v.id !== '')) return false;
  if (v.type !== undefined && !(typeof v.type === 'string')) return false;
  return true;
}

export function isKGPredicate(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.id === 'string' && v.id !== '')) return false;
  return true;
}

export function isKGObject(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.id !== undefined && !(typeof v.id === 'string')) return false;
  if (v.type !== undefined && !(typeof v.type === 'string')) return false;
  return true;
}

export function isKGStatement(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(isKGSubject(v.subject))) return false;
  if (!(isKGPredicate(v.predicate))) return false;
  if (!(isKGObject(v.object))) return false;
  if (v.graph !== undefined && !(typeof v.graph === 'string')) return false;
  if (v.certainty !== undefined && !(g.isNumber(v.certainty))) return false;
  if (v.provenance !== undefined && !(g.isObject(v.provenance))) return false;
  return true;
}

export function isKnowledgeGraphPatch(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.op === 'string' && v.op !== '')) return false;
  if (!(isKGStatement(v.statement))) return false;
  return true;
}

export function isKnowledgeQueryParams(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.tenant !== undefined && !(typeof v.tenant === 'string')) return false;
  if (!(typeof v.query === 'string' && v.query !== '')) return false;
  if (v.queryLanguage !== undefined && !(typeof v.queryLanguage === 'string')) return false;
  if (v.variables !== undefined && !(g.isObject(v.variables))) return false;
  if (v.taskId !== undefined && !(typeof v.taskId === 'string')) return false;
  if (v.sessionId !== undefined && !(typeof v.sessionId === 'string')) return false;
  if (v.requiredCertainty !== undefined && !(g.isNumber(v.requiredCertainty))) return false;
  if (v.maxAgeSeconds !== undefined && !(g.isUint32(v.maxAgeSeconds))) return false;
  if (v.metadata !== undefined && !(g.isObject(v.metadata))) return false;
  return true;
}

export function isKnowledgeQueryResponseResult(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.queryMetadata !== undefined && !(g.isObject(v.queryMetadata))) return false;
  return true;
}

export function isKnowledgeUpdateParams(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.tenant !== undefined && !(typeof v.tenant === 'string')) return false;
  if (!(g.isSomeOf(v.mutations, isKnowledgeGraphPatch))) return false;
  if (v.taskId !== undefined && !(typeof v.taskId === 'string')) return false;
  if (v.sessionId !== undefined && !(typeof v.sessionId === 'string')) return false;
  if (v.sourceAgentId !== undefined && !(typeof v.sourceAgentId === 'string')) return false;
  if (v.justification !== undefined && !(typeof v.justification === 'string')) return false;
  if (v.metadata !== undefined && !(g.isObject(v.metadata))) return false;
  return true;
}

export function isKnowledgeUpdateResponseResult(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.success === 'boolean')) return false;
  if (v.statementsAffected !== undefined && !(g.isUint32(v.statementsAffected))) return false;
  if (v.affectedIds !== undefined && !(g.isList(v.affectedIds, g.isString))) return false;
  if (v.verificationStatus !== undefined && !(typeof v.verificationStatus === 'string')) return false;
  if (v.verificationDetails !== undefined && !(typeof v.verificationDetails === 'string')) return false;
  return true;
}

export function isKnowledgeSubscribeParams(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.tenant !== undefined && !(typeof v.tenant === 'string')) return false;
  if (!(typeof v.subscriptionQuery === 'string' && v.subscriptionQuery !== '')) return false;
  if (v.queryLanguage !== undefined && !(typeof v.queryLanguage === 'string')) return false;
  if (v.variables !== undefined && !(g.isObject(v.variables))) return false;
  if (v.taskId !== undefined && !(typeof v.taskId === 'string')) return false;
  if (v.sessionId !== undefined && !(typeof v.sessionId === 'string')) return false;
  if (v.metadata !== undefined && !(g.isObject(v.metadata))) return false;
  return true;
}

export function isKnowledgeGraphChangeEvent(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.op === 'string' && v.op !== '')) return false;
  if (!(isKGStatement(v.statement))) return false;
  if (!(typeof v.changeId === 'string' && v.changeId !== '')) return false;
  if (!(g.isTimestamp(v.timestamp))) return false;
  if (v.changeMetadata !== undefined && !(g.isObject(v.changeMetadata))) return false;
  return true;
}

export function isQueryErrors(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(g.isSomeOf(v.errors, isQueryErrors_QueryError))) return false;
  return true;
}

export function isQueryErrors_Location(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(g.isUint32(v.line))) return false;
  if (!(g.isUint32(v.column))) return false;
  return true;
}

export function isQueryErrors_QueryError(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.message === 'string' && v.message !== '')) return false;
  if (v.locations !== undefined && !(g.isList(v.locations, isQueryErrors_Location))) return false;
  if (v.path !== undefined && !(g.isList(v.path, g.isAny))) return false;
  return true;
}

/** Guards of `a2agateway.knowledge.v1` by full message name. */
export const guards: Readonly<Record<string, Guard>> = {
  'google.protobuf.Empty': g.isObject,
  'a2agateway.knowledge.v1.KGSubject': isKGSubject,
  'a2agateway.knowledge.v1.KGPredicate': isKGPredicate,
  'a2agateway.knowledge.v1.KGObject': isKGObject,
  'a2agateway.knowledge.v1.KGStatement': isKGStatement,
  'a2agateway.knowledge.v1.KnowledgeGraphPatch': isKnowledgeGraphPatch,
  'a2agateway.knowledge.v1.KnowledgeQueryParams': isKnowledgeQueryParams,
  'a2agateway.knowledge.v1.KnowledgeQueryResponseResult': isKnowledgeQueryResponseResult,
  'a2agateway.knowledge.v1.KnowledgeUpdateParams': isKnowledgeUpdateParams,
  'a2agateway.knowledge.v1.KnowledgeUpdateResponseResult': isKnowledgeUpdateResponseResult,
  'a2agateway.knowledge.v1.KnowledgeSubscribeParams': isKnowledgeSubscribeParams,
  'a2agateway.knowledge.v1.KnowledgeGraphChangeEvent': isKnowledgeGraphChangeEvent,
  'a2agateway.knowledge.v1.QueryErrors': isQueryErrors,
  'a2agateway.knowledge.v1.QueryErrors.Location': isQueryErrors_Location,
  'a2agateway.knowledge.v1.QueryErrors.QueryError': isQueryErrors_QueryError,
};
