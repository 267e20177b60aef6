// Generated from codegen/schemas/a2a-0.2.json by `npm run generate`. Do not edit.

import type { Validator } from '../api.ts';
import * as c from '../checks.ts';

const AgentProvider = c.once(() =>
  c.message({
    organization: c.text,
    url: c.optional(c.nullable(c.text)),
  }),
);

const AgentExtension = c.once(() =>
  c.message({
    uri: c.text,
    description: c.optional(c.nullable(c.text)),
    required: c.optional(c.nullable(c.bool)),
    params: c.optional(c.nullable(c.struct)),
  }),
);

const AgentCapabilities = c.once(() =>
  c.message({
    streaming: c.optional(c.nullable(c.bool)),
    pushNotifications: c.optional(c.nullable(c.bool)),
    stateTransitionHistory: c.optional(c.nullable(c.bool)),
    knowledgeGraph: c.optional(c.nullable(c.bool)),
    knowledgeGraphQueryLanguages: c.optional(c.nullable(c.list(c.text))),
    extensions: c.optional(c.nullable(c.list(c.lazy(AgentExtension)))),
  }),
);

const AgentInterface = c.once(() =>
  c.message({
    url: c.text,
    transport: c.text,
  }),
);

const AuthorizationCodeOAuthFlow = c.once(() =>
  c.message({
    authorizationUrl: c.text,
    tokenUrl: c.text,
    refreshUrl: c.optional(c.nullable(c.text)),
    scopes: c.struct,
  }),
);

const ClientCredentialsOAuthFlow = c.once(() =>
  c.message({
    tokenUrl: c.text,
    refreshUrl: c.optional(c.nullable(c.text)),
    scopes: c.struct,
  }),
);

const ImplicitOAuthFlow = c.once(() =>
  c.message({
    authorizationUrl: c.text,
    refreshUrl: c.optional(c.nullable(c.text)),
    scopes: c.struct,
  }),
);

const PasswordOAuthFlow = c.once(() =>
  c.message({
    tokenUrl: c.text,
    refreshUrl: c.optional(c.nullable(c.text)),
    scopes: c.struct,
  }),
);

const OAuthFlows = c.once(() =>
  c.message({
    authorizationCode: c.optional(c.nullable(c.lazy(AuthorizationCodeOAuthFlow))),
    clientCredentials: c.optional(c.nullable(c.lazy(ClientCredentialsOAuthFlow))),
    implicit: c.optional(c.nullable(c.lazy(ImplicitOAuthFlow))),
    password: c.optional(c.nullable(c.lazy(PasswordOAuthFlow))),
  }),
);

const APIKeySecurityScheme = c.once(() =>
  c.message({
    type: c.names(['apiKey']),
    description: c.optional(c.nullable(c.text)),
    in: c.names(['cookie', 'header', 'query']),
    name: c.text,
  }),
);

const HTTPAuthSecurityScheme = c.once(() =>
  c.message({
    type: c.names(['http']),
    description: c.optional(c.nullable(c.text)),
    scheme: c.text,
    bearerFormat: c.optional(c.nullable(c.text)),
  }),
);

const OAuth2SecurityScheme = c.once(() =>
  c.message({
    type: c.names(['oauth2']),
    description: c.optional(c.nullable(c.text)),
    flows: c.lazy(OAuthFlows),
  }),
);

const OpenIdConnectSecurityScheme = c.once(() =>
  c.message({
    type: c.names(['openIdConnect']),
    description: c.optional(c.nullable(c.text)),
    openIdConnectUrl: c.text,
  }),
);

const SecurityScheme = c.once(() => c.anyOf('APIKeySecurityScheme or HTTPAuthSecurityScheme or OAuth2SecurityScheme or OpenIdConnectSecurityScheme', c.lazy(APIKeySecurityScheme), c.lazy(HTTPAuthSecurityScheme), c.lazy(OAuth2SecurityScheme), c.lazy(OpenIdConnectSecurityScheme)));

const AgentSkill = c.once(() =>
  c.message({
    id: c.text,
    name: c.text,
    description: c.optional(c.nullable(c.text)),
    tags: c.optional(c.nullable(c.list(c.text))),
    examples: c.optional(c.nullable(c.list(c.text))),
    inputModes: c.optional(c.nullable(c.list(c.text))),
    outputModes: c.optional(c.nullable(c.list(c.text))),
  }),
);

const AgentCard = c.once(() =>
  c.message({
    protocolVersion: c.optional(c.nullable(c.pattern('^0\\.2(?:\\.|$)'))),
    name: c.text,
    description: c.text,
    url: c.text,
    preferredTransport: c.optional(c.nullable(c.text)),
    additionalInterfaces: c.optional(c.nullable(c.list(c.lazy(AgentInterface)))),
    iconUrl: c.optional(c.nullable(c.text)),
    provider: c.optional(c.nullable(c.lazy(AgentProvider))),
    version: c.text,
    documentationUrl: c.optional(c.nullable(c.text)),
    capabilities: c.lazy(AgentCapabilities),
    securitySchemes: c.optional(c.nullable(c.struct)),
    security: c.optional(c.nullable(c.list(c.struct))),
    defaultInputModes: c.list(c.text),
    defaultOutputModes: c.list(c.text),
    skills: c.list(c.lazy(AgentSkill)),
    supportsAuthenticatedExtendedCard: c.optional(c.nullable(c.bool)),
  }),
);

/** Validators by definition; each is built when it is first used. */
export const validators = {
  get AgentProvider() {
    return AgentProvider();
  },
  get AgentExtension() {
    return AgentExtension();
  },
  get AgentCapabilities() {
    return AgentCapabilities();
  },
  get AgentInterface() {
    return AgentInterface();
  },
  get AuthorizationCodeOAuthFlow() {
    return AuthorizationCodeOAuthFlow();
  },
  get ClientCredentialsOAuthFlow() {
    return ClientCredentialsOAuthFlow();
  },
  get ImplicitOAuthFlow() {
    return ImplicitOAuthFlow();
  },
  get PasswordOAuthFlow() {
    return PasswordOAuthFlow();
  },
  get OAuthFlows() {
    return OAuthFlows();
  },
  get APIKeySecurityScheme() {
    return APIKeySecurityScheme();
  },
  get HTTPAuthSecurityScheme() {
    return HTTPAuthSecurityScheme();
  },
  get OAuth2SecurityScheme() {
    return OAuth2SecurityScheme();
  },
  get OpenIdConnectSecurityScheme() {
    return OpenIdConnectSecurityScheme();
  },
  get SecurityScheme() {
    return SecurityScheme();
  },
  get AgentSkill() {
    return AgentSkill();
  },
  get AgentCard() {
    return AgentCard();
  },
} satisfies Readonly<Record<string, Validator>>;
