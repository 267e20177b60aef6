import type { ServedOperations } from '../core/middleware/routing.ts';
import type { Invoke } from '../core/model/call.ts';
import { extensions } from '../dialects/kernel/registry.ts';
import type { WireProtocol } from '../dialects/kernel/wire.ts';
import type { Binding } from './bindings.ts';

/** What carries out the calls of one extension. */
export interface Beside extends ServedOperations {
  close(): Promise<void>;
}

/** What carries out the calls of extensions: each is opened with its first call, at the same place. */
export function besides(open: (dialect: WireProtocol) => ReturnType<Binding['open']>): readonly Beside[] {
  return extensions.flatMap((spoken) => {
    let opened: ReturnType<Binding['open']> | undefined;
    const invoke: Invoke = async (call) => {
      opened ??= open(spoken);
      return (await opened).invoke(call);
    };
    const close = async (): Promise<void> => (await opened)?.close();
    return spoken.grpc ? [{ operations: spoken.grpc.api.operations, invoke, close }] : [];
  });
}
