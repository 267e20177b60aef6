import type { Spec } from './spec.ts';
import { refuse, reserved } from './user-proto.ts';

/** Types and values of JavaScript and TypeScript that ts-proto's code uses, and names that it declares. */
const used: ReadonlySet<string> = new Set([
  ...['Buffer', 'Builtin', 'DeepPartial', 'Exact', 'KeysOfUnion', 'Map', 'Math', 'MessageFns', 'Partial', 'Uint8Array'],
  ...['BinaryReader', 'BinaryWriter', 'Exclude', 'ReadonlyArray', 'protobufFileName', 'protobufPackage'],
  ...['base64FromBytes', 'bytesFromBase64', 'fromTimestamp', 'globalThis', 'isObject', 'isSet', 'toTimestamp'],
]);

/** Matches variables of ts-proto's functions, which would shadow messages of the same name. */
const variables =
  /^(?:acc|base|date|e|end|entries|entry\d*|i|input|k|key|length|message|obj|object|previousRecursionDepth|reader|tag|v|value|writer)$/;

/** Members that all objects inherit, which ts-proto's `fromJSON` would mistake for members of the message. */
const ofObjects: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype));

/** Methods of `@grpc/grpc-js` clients, and methods that it omits, in lower case. */
const ofClients: ReadonlySet<string> = new Set([
  ...['checkmetadataandoptions', 'checkoptionalunaryresponsearguments', 'close', 'constructor', 'getchannel'],
  ...['makebidistreamrequest', 'makeclientstreamrequest', 'makeserverstreamrequest', 'makeunaryrequest', 'prototype'],
  'waitforready',
]);

const advice = 'rename it, or leave ts-proto out';

/**
 * Refuses names for which ts-proto would generate code that does not compile or reads other values.
 *
 * @param shown path of the file as the user writes it
 * @throws InputError that names the file and the type, field, value or rpc
 */
export function refuseNamesOfTsProto({ model, image }: Spec, shown: string): void {
  const types = [...model.messages, ...model.enums]
    .filter(({ name }) => used.has(name) || variables.test(name))
    .map(({ name }) => `${name} is a name that ts-proto uses itself`);
  const fields = model.messages.flatMap(({ name, fields: all }) =>
    all
      .filter(({ protoName, jsonName }) => ofObjects.has(protoName) || ofObjects.has(jsonName))
      .map(({ protoName }) => `${name}.${protoName} has the name of a member of all objects, which ts-proto reads`),
  );
  const values = model.enums.flatMap(({ name, values: all }) =>
    all
      .filter((value) => value.name === '__proto__' || value.name === 'UNRECOGNIZED')
      .map((value) => `${name}.${value.name} cannot be a value in the code of ts-proto`),
  );
  const services = image.set.file.find(({ name }) => name === model.file)?.service ?? [];
  const rpcs = services.flatMap(({ name, method }) =>
    method
      .filter((rpc) => rpc.name === '__proto__' || ofClients.has(rpc.name.toLowerCase().replaceAll('_', '')))
      .map((rpc) => `${name}.${rpc.name} has the name of a member of every client of @grpc/grpc-js`),
  );
  refuse([...types, ...fields, ...values, ...rpcs].map((problem) => `${shown}: ${problem}; ${advice}`));
}

/**
 * Refuses names that ts-proto has declared twice, such as a message with the name of a function generated for an enum.
 *
 * @param files generated texts
 * @param shown path of the user's file as the user writes it
 * @throws InputError that names the file and the types
 */
export function refuseDoubleNames(files: ReadonlyMap<string, string>, shown: string): void {
  const own = [...files]
    .filter(
      ([name, text]) => !name.startsWith('google/protobuf/') && text.includes('\nexport const protobufPackage = '),
    )
    .map(([, text]) => text);
  const names = new Set(own.flatMap(declaredTwice));
  const isOfType = (name: string): boolean =>
    names.has(name.replace(/^createBase/, '')) && name.startsWith('createBase');
  const found = [...names].filter((name) => !isOfType(name));
  refuse(found.map((name) => `${shown}: ${name} is a name that ts-proto uses itself, or makes of another; ${advice}`));
}

/** Returns names that a module declares twice as types or as values, or that no type can have. */
function declaredTwice(text: string): string[] {
  const types: string[] = [];
  const values: string[] = [];
  for (const [, kind, name = ''] of text.matchAll(/^(?:export )?(const|function|interface|type) (\w+)/gm))
    (kind === 'const' || kind === 'function' ? values : types).push(name);
  const isDouble = (name: string, at: number, all: readonly string[]): boolean => all.indexOf(name) !== at;
  return [...types.filter(isDouble), ...values.filter(isDouble), ...types.filter((name) => reserved.has(name))];
}
