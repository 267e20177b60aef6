/** A GraphQL schema as introspection returns it: what completion needs of it. */

export interface TypeRef {
  readonly kind: string;
  readonly name?: string | null;
  readonly ofType?: TypeRef | null;
}

export interface InputValue {
  readonly name: string;
  readonly description?: string | null;
  readonly type: TypeRef;
  readonly defaultValue?: string | null;
}

export interface Field {
  readonly name: string;
  readonly description?: string | null;
  readonly args: readonly InputValue[];
  readonly type: TypeRef;
}

export interface SchemaType {
  readonly kind: string;
  readonly name: string;
  readonly description?: string | null;
  readonly fields?: readonly Field[] | null;
  readonly inputFields?: readonly InputValue[] | null;
  readonly enumValues?: readonly { readonly name: string; readonly description?: string | null }[] | null;
}

export interface Directive {
  readonly name: string;
  readonly description?: string | null;
  /** Where it may stand, such as FIELD. */
  readonly locations: readonly string[];
  readonly args: readonly InputValue[];
}

export interface Schema {
  readonly roots: Readonly<Partial<Record<'query' | 'mutation' | 'subscription', string>>>;
  readonly types: ReadonlyMap<string, SchemaType>;
  readonly directives: readonly Directive[];
}

/** Asks for the schema. */
export const introspectionQuery = `{
  __schema {
    queryType { name }
    mutationType { name }
    subscriptionType { name }
    directives { name description locations args { ...Input } }
    types {
      kind
      name
      description
      fields { name description args { ...Input } type { ...Ref } }
      inputFields { ...Input }
      enumValues { name description }
    }
  }
}
fragment Input on __InputValue { name description type { ...Ref } defaultValue }
fragment Ref on __Type { kind name ofType { kind name ofType { kind name ofType { kind name } } } }`;

interface Introspection {
  readonly __schema: {
    readonly queryType?: { readonly name: string } | null;
    readonly mutationType?: { readonly name: string } | null;
    readonly subscriptionType?: { readonly name: string } | null;
    readonly directives: readonly Directive[];
    readonly types: readonly SchemaType[];
  };
}

/** The schema in the answer to `introspectionQuery`; undefined where the answer has none. */
export function schemaFrom(data: unknown): Schema | undefined {
  const schema = (data as Introspection | null | undefined)?.__schema;
  if (!Array.isArray(schema?.types)) return undefined;
  const { queryType, mutationType, subscriptionType, directives, types } = schema;
  return {
    roots: {
      ...(queryType && { query: queryType.name }),
      ...(mutationType && { mutation: mutationType.name }),
      ...(subscriptionType && { subscription: subscriptionType.name }),
    },
    types: new Map(types.map((type) => [type.name, type])),
    directives,
  };
}

/** A type as it is written: `[Statement!]!`. */
export function typeText({ kind, name, ofType }: TypeRef): string {
  const inner = ofType ? typeText(ofType) : (name ?? '');
  if (kind === 'NON_NULL') return `${inner}!`;
  return kind === 'LIST' ? `[${inner}]` : inner;
}

/** The name of the type inside of lists. */
export const namedType = ({ name, ofType }: TypeRef): string => (ofType ? namedType(ofType) : (name ?? ''));

/** Whether a value of the type has fields to select. */
export const isComposite = (schema: Schema, ref: TypeRef): boolean =>
  ['OBJECT', 'INTERFACE', 'UNION'].includes(schema.types.get(namedType(ref))?.kind ?? '');

/** Whether an argument must be given. */
export const isRequired = ({ type, defaultValue }: InputValue): boolean =>
  type.kind === 'NON_NULL' && (defaultValue === null || defaultValue === undefined);
