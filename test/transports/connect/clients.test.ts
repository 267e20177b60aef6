import { createFileRegistry, type DescService, fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { describe, expect, it } from 'vitest';
import { image } from '../../support/descriptors.ts';
import { startGateway } from '../../support/gateway.ts';

/** A2A 0.3 by connect-es, which reads answers strictly. */

const gateway = await startGateway();

const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, Buffer.from(image, 'base64')));

describe('A2A 0.3 over Connect with JSON', () => {
  /** Refuses answers with names that the published proto does not have. */
  const client = () => {
    const strict = { ignoreUnknownFields: false };
    const options = { httpVersion: '1.1', useBinaryFormat: false, jsonOptions: strict } as const;
    const service03 = registry.getService('a2a.v1.A2AService') as DescService;
    return createClient(service03, createConnectTransport({ baseUrl: gateway.origin, ...options })) as unknown as {
      sendMessage(request: object): Promise<{ payload: { case: string; value: Task03 } }>;
      sendStreamingMessage(request: object): AsyncIterable<{ payload: { case: string } }>;
    };
  };
  interface Task03 {
    readonly history: readonly { readonly content: readonly { readonly part: object }[] }[];
  }
  const said = (text: string) => ({
    request: { messageId: 'm', role: 1, content: [{ part: { case: 'text' as const, value: text } }] },
  });

  it('A2A 0.3 over Connect with JSON has the JSON names of the proto: content in messages, parts in artifacts, message for msg and update', async () => {
    const { payload } = await client().sendMessage(said('stream 2 0'));
    const task = payload.case === 'task' ? payload.value : expect.fail(`a ${payload.case}`);
    expect(task.history[0]?.content[0]?.part).toEqual({ case: 'text', value: 'stream 2 0' });
    const cases: (string | undefined)[] = [];
    for await (const event of client().sendStreamingMessage(said('stream 2 0'))) cases.push(event.payload.case);
    expect(cases).toEqual(['task', 'statusUpdate', 'artifactUpdate', 'artifactUpdate', 'statusUpdate']);

    const body = { message: { messageId: 'm', role: 'ROLE_USER', content: [{ text: 'say hi' }] } };
    const post = async (json: object) => {
      const response = await fetch(`${gateway.origin}/a2a.v1.A2AService/SendMessage`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'connect-protocol-version': '1' },
        body: JSON.stringify(json),
      });
      return (await response.json()) as object;
    };
    const answer = { role: 'ROLE_AGENT', content: [{ text: 'hi' }] };
    expect(await post(body)).toEqual({
      message: { ...answer, messageId: expect.any(String), contextId: expect.any(String) },
    });
    // Readers of ProtoJSON take the names of the fields, too.
    const { content, role } = body.message;
    expect(await post({ request: { message_id: 'm', role, content } })).toMatchObject({ message: answer });
    expect(await post({ message: { messageId: 'm', role, parts: content } })).toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('message.content: is required'),
    });
  });
});
