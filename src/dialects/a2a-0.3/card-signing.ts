import { isObject } from '../../core/model/json.ts';
import { canonicalJson } from '../../wire/canonical-json.ts';
import { formOf, type SignedForm, unsigned, wholeForm, withoutEmpty } from '../kernel/card-signing.ts';

/**
 * What signatures of a card of A2A 0.3 may be made over. The specification of 0.3 says nothing but JWS; its Python SDK,
 * the only one that signs, leaves out what its models do not know, what is their default, and what is empty.
 */
export function signedForms(document: object): SignedForm[] {
  const known = pick(document, cardMembers);
  const vouched = isObject(known) ? known : {};
  return [...formOf(withoutEmpty(withoutDefaults(vouched)), vouched, ascii), ...wholeForm(document)];
}

/** The members of an object that the model knows: as they stand, or with members of their own. */
interface Members {
  readonly [name: string]: true | Members | ((value: unknown) => unknown);
}

function pick(value: unknown, members: Members): unknown {
  if (!isObject(value)) return value;
  const preserved: [string, unknown][] = [];
  for (const [name, member] of Object.entries(unsigned(value))) {
    const known = Object.hasOwn(members, name) ? members[name] : undefined;
    if (known === true) preserved.push([name, member]);
    else if (typeof known === 'function') preserved.push([name, known(member)]);
    else if (known !== undefined) preserved.push([name, pick(member, known)]);
  }
  return Object.fromEntries(preserved);
}

const each =
  (members: Members) =>
  (list: unknown): unknown =>
    Array.isArray(list) ? list.map((item) => pick(item, members)) : list;

const texts = (...names: string[]): Members => Object.fromEntries(names.map((name) => [name, true]));

const flow = texts('authorizationUrl', 'refreshUrl', 'scopes', 'tokenUrl');
const clientFlow = texts('refreshUrl', 'scopes', 'tokenUrl');

/** By `type`. */
const schemes: Readonly<Record<string, Members>> = {
  apiKey: texts('type', 'description', 'in', 'name'),
  http: texts('type', 'description', 'bearerFormat', 'scheme'),
  oauth2: {
    ...texts('type', 'description', 'oauth2MetadataUrl'),
    flows: {
      authorizationCode: flow,
      clientCredentials: clientFlow,
      implicit: texts('authorizationUrl', 'refreshUrl', 'scopes'),
      password: clientFlow,
    },
  },
  openIdConnect: texts('type', 'description', 'openIdConnectUrl'),
  mutualTLS: texts('type', 'description'),
};

/** A scheme of another type is left as it is, since there is nothing to compare it with. */
function pickScheme(scheme: unknown): unknown {
  const type = isObject(scheme) && typeof scheme.type === 'string' ? scheme.type : '';
  const members = Object.hasOwn(schemes, type) ? schemes[type] : undefined;
  return members ? pick(scheme, members) : scheme;
}

const mapSchemes = (value: unknown, change: (scheme: unknown) => unknown): unknown =>
  isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, change(one)])) : value;

/** What the models of the Python SDK 0.3 know, as its JSON Schema has it. */
const cardMembers: Members = {
  ...texts(
    'name',
    'description',
    'url',
    'version',
    'protocolVersion',
    'preferredTransport',
    'documentationUrl',
    'iconUrl',
  ),
  ...texts('defaultInputModes', 'defaultOutputModes', 'security', 'supportsAuthenticatedExtendedCard'),
  additionalInterfaces: each(texts('transport', 'url')),
  capabilities: {
    ...texts('pushNotifications', 'stateTransitionHistory', 'streaming'),
    extensions: each(texts('description', 'params', 'required', 'uri')),
  },
  provider: texts('organization', 'url'),
  securitySchemes: (value) => mapSchemes(value, pickScheme),
  skills: each(texts('id', 'name', 'description', 'tags', 'examples', 'inputModes', 'outputModes', 'security')),
};

/** Without what the models fill in by themselves. Which type a scheme is of follows from its other members. */
function withoutDefaults(card: object): object {
  const { protocolVersion, preferredTransport, securitySchemes, ...rest } = card as Record<string, unknown>;
  return {
    ...rest,
    ...(protocolVersion !== '0.3.0' && { protocolVersion }),
    ...(preferredTransport !== 'JSONRPC' && { preferredTransport }),
    securitySchemes: mapSchemes(securitySchemes, withoutType),
  };
}

function withoutType(scheme: unknown): unknown {
  if (!isObject(scheme) || typeof scheme.type !== 'string' || !Object.hasOwn(schemes, scheme.type)) return scheme;
  const { type: _, ...rest } = scheme;
  return rest;
}

/** As Python's `json.dumps` writes: characters beyond ASCII escaped. */
const ascii = (value: unknown): string =>
  canonicalJson(value).replace(
    /[\x7f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
