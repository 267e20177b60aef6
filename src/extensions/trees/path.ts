import { createHmac, timingSafeEqual } from 'node:crypto';
import { isObject } from '../../core/model/json.ts';
import type { Ancestor } from '../../core/model/lineage.ts';
import type { Order } from '../host.ts';

// The facts that gateways exchange, signed with a key that they share: base64url(JSON) "." base64url(HMAC-SHA256). The
// path is in each call of an agent; a question is asked for an operator, or tells of a stop.

/** Remaining bounds of a tree at a gateway. Absent members are without a bound. */
export interface BoundsLeft {
  readonly calls?: number | undefined;
  readonly depth?: number | undefined;
  /** Remaining milliseconds. */
  readonly time?: number | undefined;
  readonly bytes?: number | undefined;
  readonly cost?: number | undefined;
}

export interface TreePath {
  readonly root: string;
  /** Tasks from the root to the caller. Each names its gateway. */
  readonly steps: readonly Required<Ancestor>[];
  readonly left?: BoundsLeft | undefined;
}

/** Question or order about a tree, from one gateway to the next. */
export interface TreeQuestion {
  readonly root: string;
  /** Gateways that were asked, the first one first. */
  readonly asked: readonly string[];
  /** Milliseconds that are left for the answer. */
  readonly left: number;
  /** Order to stop the tree. Absent: it is a question for the tree's tasks. */
  readonly stop?: Order | undefined;
}

/** Reason for which a path is refused. */
export type PathFault = 'malformed' | 'forged' | 'expired' | 'too long';

/** Most characters of a signed value. Gateways make no longer paths. */
const maxLength = 8_192;
const maxSteps = 32;
const maxText = 1_024;
/** Milliseconds for which a signed path is valid, and by which the clock of its gateway may be ahead. */
export const pathAge = 300_000;
export const clockTolerance = 60_000;

type Mark = 'path' | 'tree';

const signatureOf = (mark: Mark, body: string, key: string): Buffer =>
  createHmac('sha256', key).update(`a2a-gateway/${mark}\n`).update(body).digest();

function sign(mark: Mark, content: object, key: string): string {
  const body = Buffer.from(JSON.stringify(content)).toString('base64url');
  return `${body}.${signatureOf(mark, body, key).toString('base64url')}`;
}

/** Returns the content if it was signed with one of the keys. */
function verified(mark: Mark, value: string, keys: readonly string[]): { readonly content: unknown } | PathFault {
  if (value.length > maxLength) return 'too long';
  const dot = value.indexOf('.');
  const body = value.slice(0, Math.max(0, dot));
  const given = Buffer.from(value.slice(dot + 1), 'base64url');
  // Each signature has a single text: base64url with stray characters is refused.
  if (dot <= 0 || given.toString('base64url') !== value.slice(dot + 1)) return 'malformed';
  const isSigned = keys.some((key) => {
    const own = signatureOf(mark, body, key);
    return own.length === given.length && timingSafeEqual(own, given);
  });
  if (!isSigned) return 'forged';
  try {
    return { content: JSON.parse(Buffer.from(body, 'base64url').toString()) };
  } catch {
    return 'malformed';
  }
}

const isCurrent = (at: number, now: number, age: number): boolean => at >= now - age && at <= now + clockTolerance;

/** @param now milliseconds since the epoch */
export function signPath({ root, steps, left }: TreePath, key: string, now: number): string {
  const path = steps.map(({ gateway, agent, task }) => [gateway, agent, task]);
  return sign('path', { v: 1, at: now, root, path, ...(left && { left }) }, key);
}

/** Reads a path, or returns the reason for which it is refused. @param age milliseconds for which a path is valid */
export function readPath(value: string, keys: readonly string[], now: number, age = pathAge): TreePath | PathFault {
  const signed = verified('path', value, keys);
  if (typeof signed === 'string') return signed;
  const read = contentOf(signed.content);
  if (typeof read === 'string') return read;
  return isCurrent(read.at, now, age) ? read.path : 'expired';
}

/** @param now milliseconds since the epoch */
export const signQuestion = (question: TreeQuestion, key: string, now: number): string =>
  sign('tree', { v: versionOf(question.stop), at: now, ...question }, key);

/** Returns the version of a question. Gateways that know no stops refuse version 2. */
const versionOf = (stop: unknown): number => (stop === undefined ? 1 : 2);

/** Reads a question. Undefined: it is refused. */
export function readQuestion(value: string, keys: readonly string[], now: number): TreeQuestion | undefined {
  const signed = verified('tree', value, keys);
  if (typeof signed === 'string' || !isObject(signed.content)) return undefined;
  const { v, at, root, asked, left, stop } = signed.content;
  if (v !== versionOf(stop) || typeof at !== 'number' || !isCurrent(at, now, clockTolerance)) return undefined;
  if (!isText(root) || !Array.isArray(asked) || !asked.every(isText) || typeof left !== 'number') return undefined;
  if (stop === undefined) return { root, asked, left };
  if (!isObject(stop)) return undefined;
  const { by, reason } = stop;
  return isText(by) && (reason === undefined || isText(reason))
    ? { root, asked, left, stop: { by, reason } }
    : undefined;
}

function contentOf(content: unknown): { readonly at: number; readonly path: TreePath } | PathFault {
  if (!isObject(content) || content.v !== 1 || typeof content.at !== 'number') return 'malformed';
  const { at, root, path, left } = content;
  if (!isText(root) || !Array.isArray(path) || path.length === 0) return 'malformed';
  if (path.length > maxSteps) return 'too long';
  if (!path.every((step) => Array.isArray(step) && step.length === 3 && step.every(isText))) return 'malformed';
  if (left !== undefined && !isLeft(left)) return 'malformed';
  const steps = (path as [string, string, string][]).map(([gateway, agent, task]) => ({ gateway, agent, task }));
  return { at, path: { root, steps, ...(left !== undefined && { left }) } };
}

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= maxText;

const isLeft = (value: unknown): value is BoundsLeft =>
  isObject(value) &&
  ['calls', 'depth', 'time', 'bytes', 'cost'].every((name) => {
    const part = value[name];
    return part === undefined || (typeof part === 'number' && Number.isFinite(part) && part >= 0);
  });
