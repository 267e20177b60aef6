import { createHmac, timingSafeEqual } from 'node:crypto';
import { isObject } from '../../core/model/json.ts';
import type { Ancestor } from '../../core/model/lineage.ts';
import type { Order } from '../host.ts';

// The facts that gateways exchange, signed with a key that they share: base64url(JSON) "." base64url(HMAC-SHA256). The
// path is in each call of an agent; a question is asked for an operator, or tells of a stop.

/** The rest of a gateway's bounds of a tree. Absent: without a bound. */
export interface BoundsLeft {
  readonly calls?: number | undefined;
  readonly depth?: number | undefined;
  /** Milliseconds. */
  readonly time?: number | undefined;
  readonly bytes?: number | undefined;
  readonly cost?: number | undefined;
}

export interface TreePath {
  readonly root: string;
  /** From the root to the caller. Each names its gateway. */
  readonly steps: readonly Required<Ancestor>[];
  readonly left?: BoundsLeft | undefined;
}

/** Question or order about a tree, from one gateway to the next. */
export interface TreeQuestion {
  readonly root: string;
  /** The gateways that have been asked already, the first one first. */
  readonly asked: readonly string[];
  /** Milliseconds in which the answer must be there. */
  readonly left: number;
  /** Absent: its tasks are asked for. */
  readonly stop?: Order | undefined;
}

/** Why a path is not taken. */
export type PathFault = 'malformed' | 'forged' | 'expired' | 'too long';

/** Characters of a value. The longest path that gateways make is shorter. */
const maxLength = 8_192;
const maxSteps = 32;
const maxText = 1_024;
/** Milliseconds for which a path is taken after it was signed, and by which the clock of its gateway may be ahead. */
export const pathAge = 300_000;
export const clockTolerance = 60_000;

type Mark = 'path' | 'tree';

const signatureOf = (mark: Mark, body: string, key: string): Buffer =>
  createHmac('sha256', key).update(`a2a-gateway/${mark}\n`).update(body).digest();

function sign(mark: Mark, content: object, key: string): string {
  const body = Buffer.from(JSON.stringify(content)).toString('base64url');
  return `${body}.${signatureOf(mark, body, key).toString('base64url')}`;
}

/** Returns the content that was signed with one of the keys. */
function verified(mark: Mark, value: string, keys: readonly string[]): { readonly content: unknown } | PathFault {
  if (value.length > maxLength) return 'too long';
  const dot = value.indexOf('.');
  const body = value.slice(0, Math.max(0, dot));
  const given = Buffer.from(value.slice(dot + 1), 'base64url');
  // One text for one signature: base64url with stray characters is another value.
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

/** Reads a path, or says why it is not taken. @param age milliseconds for which it is taken */
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

/** A gateway that knows no stops takes no question with one. */
const versionOf = (stop: unknown): number => (stop === undefined ? 1 : 2);

/** Undefined: it is not taken. */
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
