import { readFileSync } from 'node:fs';
import {
  type DescMessage,
  type DescService,
  type FileRegistry,
  fromBinary,
  fromJson,
  toBinary,
  toJson,
} from '@bufbuild/protobuf';
import { type Image, readImage } from '../../../codegen/image.ts';
import type { Api } from '../../../src/gen/api.ts';
import type { Operation } from '../../../src/gen/operations.ts';
import { decode, encode } from '../../../src/wire/protobuf.ts';
import { describeMessages } from '../../support/described-messages.ts';

/** Package of the suite's messages. */
export const suitePackage = 'connectrpc.conformance.v1';

/** The API that `npm run generate` writes for a service, built from descriptors at run time. */
export interface DescribedApi {
  readonly api: Api;
  readonly registry: FileRegistry;
  readonly messageOf: (typeName: string) => DescMessage;
}

/** The suite's service. @param file its descriptors */
export const readApi = (file: string): DescribedApi =>
  describeApi(readImage(readFileSync(file)), `${suitePackage}.ConformanceService`, [
    'connectrpc/conformance/v1/service.proto',
    'connectrpc/conformance/v1/config.proto',
    'google/protobuf/any.proto',
  ]);

/** @param files those that declare the service and its messages */
export function describeApi(image: Image, serviceName: string, files: readonly string[]): DescribedApi {
  const { registry } = image;
  const service = registry.getService(serviceName);
  if (!service) throw new Error(`there is no service ${serviceName}`);
  return {
    api: {
      ...describeMessages(image, files),
      package: service.file.proto.package,
      service: service.typeName,
      operations: operationsOf(service),
    },
    registry,
    messageOf(typeName) {
      const message = registry.getMessage(typeName);
      if (!message) throw new Error(`there is no message ${typeName}`);
      return message;
    },
  };
}

const operationsOf = (service: DescService): Operation[] =>
  service.methods.map(({ name, methodKind, input, output }) => ({
    name,
    service: service.typeName,
    rpc: name,
    grpcPath: `/${service.typeName}/${name}`,
    request: input.typeName,
    response: output.typeName,
    streaming: methodKind === 'server_streaming' || methodKind === 'bidi_streaming',
    ...((methodKind === 'client_streaming' || methodKind === 'bidi_streaming') && { clientStreaming: true as const }),
    http: [],
  }));

/** JSON with each google.protobuf.Any packed, as our tables have it. JSON without any is returned as it is. */
export function packed({ api, registry, messageOf }: DescribedApi, typeName: string, json: unknown): unknown {
  if (!JSON.stringify(json ?? null).includes('"@type"')) return json;
  const schema = messageOf(typeName);
  return decode(api, typeName, toBinary(schema, fromJson(schema, json as never, { registry })));
}

/** JSON with each google.protobuf.Any as ProtoJSON has it. */
export function unpacked({ api, registry, messageOf }: DescribedApi, typeName: string, json: object): object {
  const schema = messageOf(typeName);
  return toJson(schema, fromBinary(schema, encode(api, typeName, json)), { registry }) as object;
}
