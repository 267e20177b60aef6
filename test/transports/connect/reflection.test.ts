import { connect as connectHttp2 } from 'node:http2';
import { buffer } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from 'vitest';
import { fields } from '../../../src/gen/grpc/fields.ts';
import { EnvelopeReader, envelope } from '../../../src/transports/rpc/envelope.ts';
import { decode, encode } from '../../../src/wire/protobuf.ts';
import { openGateway } from '../../support/gateway.ts';

/** Server reflection over Connect and gRPC-Web, as `buf curl` calls it. */

let url: string;

beforeAll(async () => {
  ({ url } = await openGateway('agents: { demo: { kind: reference } }'));
});

const protobuf = {
  encode: (message: object) => encode({ fields }, 'grpc.reflection.v1.ServerReflectionRequest', message),
  decode: (data: Buffer): object => decode({ fields }, 'grpc.reflection.v1.ServerReflectionResponse', data),
};
const json = {
  encode: (message: object) => Buffer.from(JSON.stringify(message)),
  decode: (data: Buffer): object => JSON.parse(data.toString()),
};

/** Sends the requests one after the other, each after the answer to the one before, and returns the answers and the end. */
async function reflect(path: string, mediaType: string, requests: readonly object[]) {
  const format = mediaType.endsWith('json') ? json : protobuf;
  const session = connectHttp2(url);
  try {
    const stream = session.request({ ':method': 'POST', ':path': path, 'content-type': mediaType });
    const reader = new EnvelopeReader({ limit: 10_000_000 });
    const answers: object[] = [];
    const left = requests.map((request) => envelope(format.encode(request)));
    stream.write(left.shift());
    let end = '';
    for await (const chunk of stream) {
      for (const { flags, data } of reader.read(chunk as Buffer)) {
        if (flags !== 0) end = data.toString();
        else answers.push(format.decode(data));
        const next = left.shift();
        if (next) stream.write(next);
        else stream.end();
      }
    }
    return { answers, end };
  } finally {
    session.close();
  }
}

const service = 'lf.a2a.v1.A2AService';

describe.each([
  ['application/connect+proto', '{}'],
  ['application/connect+json', '{}'],
  ['application/grpc-web+proto', 'grpc-status: 0\r\n'],
  ['application/grpc-web+json', 'grpc-status: 0\r\n'],
])('reflection over %s', (mediaType, ending) => {
  it.each(['v1', 'v1alpha'])(
    `reflection over ${mediaType} of %s lists services and sends their files, while the client keeps its stream`,
    async (version) => {
      const path = `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`;
      const { answers, end } = await reflect(path, mediaType, [
        { listServices: '' },
        { fileContainingSymbol: service },
        { fileContainingSymbol: 'nobody.Knows' },
      ]);
      expect(answers).toMatchObject([
        { listServicesResponse: { service: expect.arrayContaining([{ name: service }]) } },
        { fileDescriptorResponse: { fileDescriptorProto: expect.anything() } },
        { errorResponse: { errorCode: 5, errorMessage: 'Not found: nobody.Knows' } },
      ]);
      expect(end).toBe(ending);
    },
  );
});

it('a message that cannot be read ends the stream with an error', async () => {
  const session = connectHttp2(url);
  const path = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo';
  const stream = session.request({ ':method': 'POST', ':path': path, 'content-type': 'application/connect+json' });
  stream.end(envelope(Buffer.from('{')));
  expect((await buffer(stream)).toString()).toContain('"code":"invalid_argument"');
  session.close();
});

it('reflection, which streams in both directions, is refused over HTTP/1.1', async () => {
  const answer = await fetch(`${url}/grpc.reflection.v1.ServerReflection/ServerReflectionInfo`, {
    method: 'POST',
    headers: { 'content-type': 'application/connect+proto' },
    body: new Uint8Array(envelope(protobuf.encode({ listServices: '' }))),
  });
  expect(answer.status).toBe(505);
});
