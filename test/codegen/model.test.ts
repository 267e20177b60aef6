import { describe, expect, test } from 'vitest';
import { staleRows } from '../../codegen/model.ts';
import { noOverlay } from '../support/described-messages.ts';
import { imageOf, modelOf } from '../support/inline-proto.ts';

const service = 'service S { rpc Get(A) returns (A); }\n';

describe('messages', () => {
  const model = modelOf(`${service}
// A thing.
message A {
  // Its name.
  string display_name = 1 [(google.api.field_behavior) = REQUIRED];
  optional int32 size = 2;
  repeated Kind kinds = 3;
  map<string, B> parts = 4;
  google.protobuf.Struct meta = 5;
  google.protobuf.Timestamp at = 6 [json_name = "when"];
  oneof content {
    bytes raw = 7;
    google.protobuf.Value data = 8;
  }
  B old = 9 [deprecated = true];
  message Inner {
    bool yes = 1;
  }
  Inner inner = 10;
}
message B {}
enum Kind {
  KIND_UNSPECIFIED = 0;
  KIND_GOOD = 4;
}`);
  const [a] = model.messages;

  test('fields have their types, names and defaults', () => {
    expect(a?.description).toBe('A thing.');
    const common = { presence: true };
    expect(a?.fields).toEqual([
      {
        jsonName: 'displayName',
        protoName: 'display_name',
        number: 1,
        kind: 'scalar',
        type: 'string',
        required: true,
        description: 'Its name.',
      },
      { jsonName: 'size', protoName: 'size', number: 2, kind: 'scalar', type: 'int32', ...common },
      { jsonName: 'kinds', protoName: 'kinds', number: 3, kind: 'enum', type: 'test.v1.Kind', repeated: true },
      { jsonName: 'parts', protoName: 'parts', number: 4, kind: 'map', type: 'test.v1.B', valueKind: 'message' },
      { jsonName: 'meta', protoName: 'meta', number: 5, kind: 'struct', type: 'google.protobuf.Struct', ...common },
      { jsonName: 'when', protoName: 'at', number: 6, kind: 'timestamp', type: 'google.protobuf.Timestamp', ...common },
      { jsonName: 'raw', protoName: 'raw', number: 7, kind: 'bytes', type: 'bytes', oneof: 'content', ...common },
      {
        jsonName: 'data',
        protoName: 'data',
        number: 8,
        kind: 'value',
        type: 'google.protobuf.Value',
        oneof: 'content',
        ...common,
      },
      { jsonName: 'old', protoName: 'old', number: 9, kind: 'message', type: 'test.v1.B', deprecated: true, ...common },
      { jsonName: 'inner', protoName: 'inner', number: 10, kind: 'message', type: 'test.v1.A.Inner', ...common },
    ]);
    expect(a?.oneofs).toEqual([{ name: 'content', members: ['raw', 'data'], required: false }]);
  });

  test('nested messages have names of their own', () => {
    expect(model.messages.map(({ name, fullName }) => [name, fullName])).toEqual([
      ['A', 'test.v1.A'],
      ['A_Inner', 'test.v1.A.Inner'],
      ['B', 'test.v1.B'],
    ]);
  });

  test('enums have their values', () => {
    expect(model.enums).toEqual([
      {
        name: 'Kind',
        fullName: 'test.v1.Kind',
        values: [
          { name: 'KIND_UNSPECIFIED', number: 0 },
          { name: 'KIND_GOOD', number: 4 },
        ],
      },
    ]);
  });
});

describe('operations', () => {
  const proto = `service S {
  rpc Get(A) returns (stream A) {
    option (google.api.http) = {
      get: "/a/{id=*}"
      additional_bindings { patch: "/b" body: "id" }
    };
  }
  rpc Bare(A) returns (google.protobuf.Empty);
}
message A { string id = 1; }`;

  test('the operations of the model are its rows', () => {
    const [get, bare] = modelOf(proto).operations;
    expect(get).toEqual({
      name: 'Get',
      service: 'test.v1.S',
      rpc: 'Get',
      grpcPath: '/test.v1.S/Get',
      request: 'test.v1.A',
      response: 'test.v1.A',
      streaming: true,
      http: [
        { verb: 'GET', path: '/a/{id=*}' },
        { verb: 'PATCH', path: '/b', body: 'id' },
      ],
    });
    expect(bare).toMatchObject({ response: 'google.protobuf.Empty', streaming: false, http: [] });
    expect(bare).not.toHaveProperty('reads');
  });

  test('the overlay says what an rpc means, whatever its verb; without a row it changes something, and a note says so', () => {
    const bound = (verb: string): string =>
      `service S { rpc Get(A) returns (A) { option (google.api.http) = { ${verb}: "/a" }; } rpc New(A) returns (A); }
message A {}`;
    const meaning = { rpcs: ['test.v1.S.Get'], reads: true, longLived: true, source: 'a test' } as const;
    for (const verb of ['get', 'post']) {
      const { operations, notes } = modelOf(bound(verb), { ...noOverlay, meanings: [meaning] });
      expect(operations[0]).toMatchObject({ reads: true, longLived: true });
      expect(operations[1]).not.toHaveProperty('reads');
      expect(notes).toEqual([{ at: 'test.v1.S.New', says: expect.stringContaining('`meanings`: add one') }]);
    }
  });

  test('rules that cannot be served are left out, and a note says why', () => {
    const { operations, notes } = modelOf(`service S {
  rpc A(M) returns (M) { option (google.api.http) = {
    get: "/a/{id}"
    additional_bindings { get: "/b/{other}" }
    additional_bindings { get: "/c/{id=**}" }
    additional_bindings { custom { kind: "HEAD" path: "/d" } }
    additional_bindings { get: "/{tenant}/e/{inner.id}" }
  }; }
  rpc B(M) returns (M) { option (google.api.http) = { get: "/a/{id}" }; }
}
message M { string id = 1; M inner = 2; }`);
    expect(operations.map(({ http }) => http.map(({ path }) => path))).toEqual([
      ['/a/{id}', '/{tenant}/e/{inner.id}'],
      [],
    ]);
    expect(notes.map(({ at, says }) => `${at}: ${says}`)).toEqual([
      'test.v1.S.A: the rule GET /b/{other} is left out: M has no field other',
      expect.stringContaining('the rule GET /c/{id=**} is left out: The path template'),
      'test.v1.S.A: the rule HEAD /d is left out: the HTTP verb HEAD is not known',
      'test.v1.S.B: the rule GET /a/{id} is left out: A has the same',
    ]);
  });

  test('rpcs whose client streams are known as such', () => {
    const { operations, notes } = modelOf(
      'service S { rpc Up(stream A) returns (A); rpc Both(stream A) returns (stream A); } message A {}',
    );
    expect(operations[0]).toMatchObject({ streaming: false, clientStreaming: true });
    expect(operations[1]).toMatchObject({ streaming: true, clientStreaming: true });
    expect(notes.map(({ at }) => at)).toEqual(['test.v1.S.Up', 'test.v1.S.Both']);
  });

  test('the overlay corrects paths and adds rules, but not twice', () => {
    const rpc = 'test.v1.S.Get';
    const source = 'a test';
    const overlay = {
      ...noOverlay,
      paths: [{ rpc, from: '/a/{id=*}', to: '/as/{id=*}', source }],
      extraRules: [
        { rpc, rules: [{ verb: 'POST', path: '/b' } as const, { verb: 'PATCH', path: '/b' } as const], source },
      ],
    };
    expect(modelOf(proto, overlay).operations[0]?.http).toEqual([
      { verb: 'GET', path: '/as/{id=*}' },
      { verb: 'PATCH', path: '/b', body: 'id' },
      { verb: 'POST', path: '/b' },
    ]);
  });
});

test('overlay rows about what is not there are found', () => {
  const model = modelOf(
    `${service} message A { string a = 1 [(google.api.field_behavior) = REQUIRED]; string b = 2; }`,
  );
  const source = 'a test';
  const overlay = {
    ...noOverlay,
    extraRules: [{ rpc: 'test.v1.S.Put', rules: [], source }],
    meanings: [{ rpcs: ['test.v1.S.Get', 'test.v1.S.Peek'], source }],
    requiredOneofs: [
      { oneof: 'test.v1.A.content', source },
      { oneof: 'other.v1.A.content', source },
    ],
    mayBeEmpty: [{ fields: ['test.v1.A.a', 'test.v1.A.b'], source }],
    added: [{ fields: ['test.v1.A.b', 'test.v1.A.c'], source }],
  };
  expect(staleRows(model, overlay)).toEqual([
    'test.v1.S.Put',
    'test.v1.S.Peek',
    'test.v1.A.content',
    'test.v1.A.b',
    'test.v1.A.c',
  ]);
});

test.each([
  [
    'well-known types without a JSON form of their own',
    `import "google/protobuf/any.proto"; ${service} message A { google.protobuf.Any a = 1; }`,
    'test.v1.A.a: the generators do not know google.protobuf.Any',
  ],
  ['enums of other packages', `${service} message A { google.protobuf.NullValue n = 1; }`, 'google.protobuf.NullValue'],
  ['two services', `${service} service T {} message A {}`, 'exactly one service'],
])('the generators refuse a proto that they do not know: %s', (_, proto, message) => {
  expect(() => modelOf(proto)).toThrow(message);
});

test('the generators refuse a text that is no proto, in the words of the compiler', () => {
  expect(() => imageOf('message A { strin a = 1; }')).toThrow(/strin/);
});
