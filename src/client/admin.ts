import { A2AError } from '../core/model/errors.ts';
import { trimEnd } from '../core/model/text.ts';
import { extensions } from '../dialects/registry.ts';
import { type OperationName, type OperationTypes, operations } from '../gen/admin-v1/operations.ts';
import { type BindingName, bindings } from './bindings.ts';
import { type CallOptions, createCaller, operationMethods } from './caller.ts';
import { parseTarget } from './choose.ts';
import { type ConnectionOptions, openPool, tlsByUrl, wireOf } from './connection.ts';
import { type Credentials, credentialHeaders } from './credentials.ts';

/** Options for reaching the admin service of a gateway. */
export interface AdminOptions extends Credentials, ConnectionOptions {
  /** Binding of the calls. Default `rest`. */
  readonly via?: BindingName;
  /** Milliseconds to wait for a response, or for the start of a stream. Default 330,000. */
  readonly timeout?: number;
}

/**
 * One method per operation of the admin service, with the operation's name in camel case: `listAgents`, `findTasks`,
 * `followTask` and so on.
 */
export type AdminMethods = {
  [K in OperationName as Uncapitalize<K>]: (
    request: OperationTypes[K]['request'],
    options?: CallOptions,
  ) => OperationTypes[K]['streaming'] extends true
    ? AsyncIterable<OperationTypes[K]['response']>
    : Promise<OperationTypes[K]['response']>;
};

/** The admin service of a gateway. Methods reject, and streams throw, with an A2AError. */
export interface AdminClient extends AdminMethods {
  /** Closes every connection. */
  close(): Promise<void>;
}

/**
 * Creates a client for the admin service of a gateway. It sends nothing before the first call.
 *
 * ```ts
 * import { openAdmin } from 'a2a-gateway';
 *
 * const admin = await openAdmin('http://localhost:8080', { apiKey: 'the-admin-key' });
 * const { tasks = [] } = await admin.findTasks({ states: ['TASK_STATE_WORKING'] });
 * for (const { key } of tasks) {
 *   for await (const { position, event } of admin.followTask({ key })) console.log(position, event);
 * }
 * await admin.close();
 * ```
 *
 * @param target base URL of the gateway
 * @throws A2AError `invalidParams` if the target is not a URL, or `via` is not a binding
 */
export async function openAdmin(target: string, options: AdminOptions = {}): Promise<AdminClient> {
  const to = parseTarget(target);
  const { via = 'rest', timeout = 330_000 } = options;
  const binding = bindings.find(({ name }) => name === via);
  const dialect = extensions.find(({ ofGateway }) => ofGateway);
  if (!binding || !dialect) throw A2AError.invalidParams(`${via} is not a binding of this version`);
  const { http, close } = openPool(to, options);
  const tls = tlsByUrl(to, options)?.(to);
  const onWire = wireOf(options);
  const url = binding.wireFormat === 'grpc' ? to.origin : trimEnd(`${to.origin}${to.pathname}`, '/');
  const headers = credentialHeaders(options);
  const common = { http, timeout, strict: false, ...(tls && { tls }), ...(onWire && { onWire }) };
  const opened = await binding.open({ ...common, url, dialect, headers }).catch((thrown: unknown) => {
    close();
    throw thrown;
  });
  const caller = createCaller(opened.invoke, 'admin', '');
  return {
    ...operationMethods<AdminMethods>(caller, operations),
    async close() {
      await opened.close();
      close();
    },
  };
}
