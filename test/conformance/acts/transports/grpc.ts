import {
  type DescField,
  type DescMessage,
  type DescMethod,
  fromBinary,
  fromJson,
  getOption,
  type JsonValue,
  ScalarType,
  toBinary,
  toJson,
} from '@bufbuild/protobuf';
import grpc from '@grpc/grpc-js';
import type { Value } from '../values.ts';
import { fieldBehavior, registry, rpcOf } from './registry.ts';
import {
  type Endpoint,
  type EventStream,
  failed,
  Refused,
  type Reply,
  reasonIn,
  type Transport,
  timeoutMs,
  type WireError,
} from './transport.ts';

/** REQUIRED of google.api.FieldBehavior. */
const required = 2;

const statusNames = new Map(Object.entries(grpc.status).map(([name, code]) => [code as number, name]));

/** A2A over gRPC, by grpc-js with the messages of protobuf-es. */
export function overGrpc({ origin, headers }: Endpoint): Transport {
  const client = new grpc.Client(new URL(origin).host, grpc.credentials.createInsecure());
  const codecOf = ({ input, output, parent, name }: DescMethod) => ({
    path: `/${parent.typeName}/${name}`,
    write: (json: Value) => Buffer.from(toBinary(input, fromJson(input, json as JsonValue, lenient))),
    read: (bytes: Buffer) => withRequired(output, toJson(output, fromBinary(output, bytes), { registry })),
  });
  const lenient = { registry, ignoreUnknownFields: true };
  const metadata = new grpc.Metadata();
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value);

  return {
    binding: 'grpc',
    call(rpc, params): Promise<Reply> {
      const { path, write, read } = codecOf(rpcOf(rpc));
      return new Promise((resolve) => {
        const options = { deadline: Date.now() + timeoutMs };
        client.makeUnaryRequest(path, write, read, params, metadata, options, (error, body) =>
          resolve(error ? failed(error.code, {}, errorOf(error)) : { status: 200, headers: {}, body }),
        );
      });
    },
    stream(rpc, params): EventStream {
      const { path, write, read } = codecOf(rpcOf(rpc));
      const call = client.makeServerStreamRequest(path, write, read, params, metadata, {
        deadline: Date.now() + 2 * timeoutMs,
      });
      // A call that is canceled, or ends before it is read, emits its error.
      call.on('error', () => {});
      return { events: events(call), close: () => call.cancel() };
    },
    close: () => client.close(),
  };
}

/** With the required fields that protobuf leaves out since they have their default, such as the token after the last page. */
function withRequired({ fields }: DescMessage, json: JsonValue): Value {
  const whole: Record<string, Value> = { ...(json as object) };
  for (const { jsonName, fieldKind, scalar } of fields.filter(isRequired)) {
    if (fieldKind === 'list') whole[jsonName] ??= [];
    if (fieldKind === 'scalar') whole[jsonName] ??= scalar === ScalarType.STRING ? '' : 0;
  }
  return whole;
}

const isRequired = (field: DescField): boolean => (getOption(field, fieldBehavior) as number[]).includes(required);

const errorOf = ({ code, details, metadata }: grpc.ServiceError): WireError => {
  const [bytes] = metadata?.get('grpc-status-details-bin') ?? [];
  const data = bytes instanceof Buffer ? detailsIn(bytes) : undefined;
  return { code: statusNames.get(code) ?? code, message: details, data, reason: reasonIn(data) };
};

function detailsIn(bytes: Buffer): Value {
  const status = registry.getMessage('google.rpc.Status') as DescMessage;
  return (toJson(status, fromBinary(status, bytes), { registry }) as { details?: Value }).details;
}

async function* events(call: grpc.ClientReadableStream<Value>): AsyncGenerator<Value> {
  try {
    for await (const event of call) yield event;
  } catch (thrown) {
    throw new Refused(errorOf(thrown as grpc.ServiceError));
  }
}
