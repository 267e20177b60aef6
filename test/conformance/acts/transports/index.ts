import type { Binding } from '../read.ts';
import { overGrpc } from './grpc.ts';
import { overJsonRpc } from './jsonrpc.ts';
import { overRest } from './rest.ts';
import type { Endpoint, Transport } from './transport.ts';

export const transports: Readonly<Record<Binding, (endpoint: Endpoint) => Transport>> = {
  jsonrpc: overJsonRpc,
  rest: overRest,
  grpc: overGrpc,
};
