import { A2AError, type ErrorKind } from '../core/model/errors.ts';
import type { Dialect, DialectName } from '../dialects/kernel/dialect.ts';
import { neverArrived } from '../net/failures.ts';
import { type BindingName, bindings } from './bindings.ts';
import type { Choice } from './choose.ts';

/**
 * The way that a caller told in full, to an agent that need not have a card.
 *
 * @throws A2AError `unsupportedOperation` when the generation is not spoken over the binding
 */
export function toldChoice(as: DialectName, via: BindingName, url: URL, dialects: readonly Dialect[]): Choice {
  const dialect = dialects.find(({ name }) => name === as);
  const binding = bindings.find(({ name }) => name === via);
  if (!dialect || !binding || dialect[binding.face] === undefined) {
    throw new A2AError('unsupportedOperation', `${as} is not spoken over ${binding?.title ?? via}`);
  }
  const { protocolVersion } = dialect.card;
  return { dialect, binding, interface: { url: url.href, protocolBinding: binding.protocolBinding, protocolVersion } };
}

/** Errors with which somebody who is there gives no card. */
const noCard: ReadonlySet<ErrorKind> = new Set(['agentNotFound', 'unauthenticated', 'permissionDenied']);

/** Whether a card that could not be read for this reason is done without by who knows what to call over `via`. */
export function needsNoCard(error: A2AError, via: BindingName, { pathname }: URL): boolean {
  // Paths count for nothing in gRPC: only a card says how the agent at one is told from others on its host.
  if (pathname !== '/' && bindings.some(({ name, face }) => name === via && face === 'grpc')) return false;
  if (noCard.has(error.kind)) return true;
  // Servers that only speak gRPC over TLS hang up on who does not.
  return error.kind === 'upstreamUnreachable' && via === 'grpc' && !neverArrived(error);
}
