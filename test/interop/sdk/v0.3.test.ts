import type { Message, MessageSendParams } from 'a2a-sdk-0.3';
import {
  A2AClient,
  AuthenticatedExtendedCardNotConfiguredError,
  type Client,
  type ClientConfig,
  PushNotificationNotSupportedError,
  ServiceParameters,
  UnsupportedOperationError,
  withA2AExtensions,
} from 'a2a-sdk-0.3/client';
import { beforeAll, describe, expect, it } from 'vitest';
import { requiredExtension } from '../../support/agents/demanding-agent.ts';
import { startGateway } from '../../support/gateway.ts';
import { collect, messageOf, outline, taskOf, textOf, textOfArtifact, userMessage } from '../../support/sdk-0.3.ts';
import { protocols, sdk03 } from './clients.ts';

/** Features of the SDK of A2A 0.3 only, over its three transports. */

const gateway = await startGateway();

type Configuration = MessageSendParams['configuration'];

const clientFor = (agent: string, protocol: string, config: ClientConfig = {}): Promise<Client> =>
  sdk03(`${gateway.origin}${agent}`, protocol, config);

/** The SDK writes into the parameters, so that each call has its own. */
function params(content: string, more: Partial<Message> = {}, configuration?: Configuration): MessageSendParams {
  return { message: userMessage(content, more), ...(configuration && { configuration }) };
}

/** The error that a call ends with, or what the SDK put around it. */
const errorOf = async (call: Promise<unknown>): Promise<Error> => {
  const thrown = await call.then(
    () => expect.fail('no error'),
    (error: Error) => error,
  );
  return thrown.cause instanceof Error && 'errorResponse' in thrown.cause ? thrown.cause : thrown;
};

describe.each(protocols)('@a2a-js/sdk 0.3 over %s', (protocol) => {
  const onJsonRpc = protocol === 'JSONRPC';
  let client: Client;
  beforeAll(async () => {
    client = await clientFor('', protocol);
  });

  it(`@a2a-js/sdk 0.3 over ${protocol} uses the requested transport`, () => {
    const names = { JSONRPC: 'JsonRpcTransport', 'HTTP+JSON': 'RestTransport', GRPC: 'GrpcTransport' };
    expect(client.transport.constructor.name).toMatch(names[protocol]);
  });

  it(`@a2a-js/sdk 0.3 over ${protocol} does not wait when it is configured to poll`, async () => {
    const polling = await clientFor('', protocol, { polling: true });
    const polled = taskOf(await polling.sendMessage(params('wait')));
    expect(polled.status.state).toMatch(/submitted|working/);
    await polling.cancelTask({ id: polled.id });
  });

  it(`@a2a-js/sdk 0.3 over ${protocol} sends its configured push configuration with a message`, async () => {
    const authentication = { schemes: ['Bearer'], credentials: 'c' };
    const pushNotificationConfig = { id: 'hook', url: 'https://example.com/hook', token: 'tok', authentication };
    const configured = await clientFor('', protocol, { pushNotificationConfig });
    const { id } = taskOf(await configured.sendMessage(params('ask')));
    // Below the client, whose types lack the methods' own parameters.
    const list = await client.transport.listTaskPushNotificationConfig({ id });
    expect(list).toMatchObject([{ taskId: id, pushNotificationConfig }]);
    if (onJsonRpc) expect(await client.getTaskPushNotificationConfig({ id })).toMatchObject({ pushNotificationConfig });
  });

  it(`@a2a-js/sdk 0.3 over ${protocol} gets a card of its own version`, async () => {
    const card = await (await clientFor('', protocol)).getAgentCard();
    expect(card).toMatchObject({ protocolVersion: expect.stringMatching(/^0\.3/), url: expect.any(String) });
  });

  it(`@a2a-js/sdk 0.3 over ${protocol} declares extensions in its own header`, async () => {
    // gRPC has no path: there the agent is named in the metadata. Over HTTP the header means nothing.
    const demanding = (await clientFor(protocol === 'GRPC' ? '' : '/demanding', protocol)).transport;
    const agent = { 'a2a-agent': 'demanding' };
    await expect(demanding.sendMessage(params('hi'), { serviceParameters: agent })).rejects.toThrow();
    const serviceParameters = { ...agent, ...ServiceParameters.create(withA2AExtensions(requiredExtension)) };
    const message = messageOf(await demanding.sendMessage(params('hi'), { serviceParameters }));
    expect(textOf(message.parts)).toBe(requiredExtension);
    const card = demanding.getExtendedAgentCard({ serviceParameters });
    await expect(card).rejects.toBeInstanceOf(AuthenticatedExtendedCardNotConfiguredError);
  });

  it(`@a2a-js/sdk 0.3 over ${protocol} gets typed errors for capabilities that the agent lacks`, async () => {
    const card = protocol === 'GRPC' ? '' : '/frugal';
    const { transport } = await clientFor(card, protocol);
    const options = { serviceParameters: { 'a2a-agent': 'frugal' } };
    const task = taskOf(await transport.sendMessage(params('hi'), options));
    expect(textOfArtifact(task)).toBe('hi');
    const config = { taskId: task.id, pushNotificationConfig: { id: 'x', url: 'https://example.com/' } };
    const push = transport.setTaskPushNotificationConfig(config, options);
    await expect(push).rejects.toBeInstanceOf(PushNotificationNotSupportedError);
    const stream = await errorOf(collect(transport.sendMessageStream(params('hi'), options)));
    // Over gRPC the SDK knows this error of subscriptions and cards alone.
    if (protocol === 'GRPC') expect(stream.message).toMatch(/\b12 /);
    else expect(stream).toBeInstanceOf(UnsupportedOperationError);
    const subscription = await errorOf(collect(transport.resubscribeTask({ id: task.id }, options)));
    expect(subscription).toBeInstanceOf(UnsupportedOperationError);
    await expect(transport.getExtendedAgentCard(options)).rejects.toBeInstanceOf(UnsupportedOperationError);
  });
});

it.each(['/.well-known/agent-card.json', '/.well-known/agent.json', '/as/a2a-0.3/.well-known/agent-card.json'])(
  'the first client of the SDK 0.3, which returns JSON-RPC responses works from the card at %s',
  async (path) => {
    const client = await A2AClient.fromCardUrl(`${gateway.origin}${path}`);
    const sent = await client.sendMessage(params('ask', {}, { acceptedOutputModes: ['text/plain'], blocking: true }));
    if (!('result' in sent)) throw new TypeError(JSON.stringify(sent));
    const { id } = taskOf(sent.result);
    expect(sent).toMatchObject({ jsonrpc: '2.0', result: { kind: 'task', status: { state: 'input-required' } } });
    const answered = await collect(client.sendMessageStream(params('Ada', { taskId: id })));
    expect(outline(answered).at(-1)).toBe('completed!');
    expect(await client.getTask({ id })).toMatchObject({ result: { id, status: { state: 'completed' } } });
    expect(await client.getTask({ id: 'no-such-task' })).toMatchObject({ error: { code: -32001 } });
    expect(await client.cancelTask({ id })).toMatchObject({ error: { code: -32002 } });
    const unknown = await client.callExtensionMethod('no/such/method', {});
    expect(unknown).toMatchObject({ error: { code: -32601 } });
  },
);
