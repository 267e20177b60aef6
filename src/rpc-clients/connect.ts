/**
 * `a2a-gateway/connect`: the service of agents that speak A2A 1.0, for `@connectrpc/connect`, which the program installs itself, in
 * Node and in browsers.
 *
 * ```ts
 * const transport = createConnectTransport({ baseUrl, interceptors: [a2a({ agent: 'demo' })] });
 * const client = createClient(A2AService, transport);
 * const { payload } = await client.sendMessage({ message });
 * ```
 */

export * from '../gen/clients/v1/connect.ts';
export * from './connect-calls.ts';
