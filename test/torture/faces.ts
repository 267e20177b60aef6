import type { Face } from './clients.ts';

/** How clients speak. */
export const faces = {
  rpc: { as: 'a2a-1.0', via: 'jsonrpc' },
  rest: { as: 'a2a-1.0', via: 'rest' },
  grpc: { as: 'a2a-1.0', via: 'grpc' },
  legacy: { as: 'a2a-0.3', via: 'jsonrpc' },
  oldest: { as: 'a2a-0.1', via: 'jsonrpc', pinned: true },
} as const satisfies Record<string, Face>;

export const modern: readonly Face[] = [faces.rpc, faces.rest, faces.grpc];
export const all: readonly Face[] = [...modern, faces.legacy, faces.oldest];
/** Those whose streams number their events also where a client's own messages are among them. */
export const numbered: readonly Face[] = [faces.rpc, faces.rest];
