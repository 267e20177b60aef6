// Generated from codegen/schemas/a2a-0.2.json by `npm run generate`. Do not edit.

/**
 * A way to authenticate, as in OpenAPI 3.
 */
export type SecurityScheme =
  APIKeySecurityScheme | HTTPAuthSecurityScheme | OAuth2SecurityScheme | OpenIdConnectSecurityScheme;

/**
 * Who provides an agent.
 */
export interface AgentProvider {
  organization: string;
  url?: string | null;
}

/**
 * An extension of the protocol that an agent supports.
 */
export interface AgentExtension {
  uri: string;
  description?: string | null;
  required?: boolean | null;
  params?: Record<string, unknown> | null;
}

/**
 * What an agent can do.
 */
export interface AgentCapabilities {
  streaming?: boolean | null;
  pushNotifications?: boolean | null;
  stateTransitionHistory?: boolean | null;
  /**
   * Of the knowledge graph extension.
   */
  knowledgeGraph?: boolean | null;
  knowledgeGraphQueryLanguages?: string[] | null;
  extensions?: AgentExtension[] | null;
}

/**
 * A URL and the transport that is spoken there.
 */
export interface AgentInterface {
  url: string;
  /**
   * JSONRPC, GRPC, HTTP+JSON, or another name.
   */
  transport: string;
}

/**
 * A flow of OAuth 2.0.
 */
export interface AuthorizationCodeOAuthFlow {
  authorizationUrl: string;
  tokenUrl: string;
  refreshUrl?: string | null;
  /**
   * Texts by scope.
   */
  scopes: Record<string, unknown>;
}

/**
 * A flow of OAuth 2.0.
 */
export interface ClientCredentialsOAuthFlow {
  tokenUrl: string;
  refreshUrl?: string | null;
  /**
   * Texts by scope.
   */
  scopes: Record<string, unknown>;
}

/**
 * A flow of OAuth 2.0.
 */
export interface ImplicitOAuthFlow {
  authorizationUrl: string;
  refreshUrl?: string | null;
  /**
   * Texts by scope.
   */
  scopes: Record<string, unknown>;
}

/**
 * A flow of OAuth 2.0.
 */
export interface PasswordOAuthFlow {
  tokenUrl: string;
  refreshUrl?: string | null;
  /**
   * Texts by scope.
   */
  scopes: Record<string, unknown>;
}

/**
 * The flows of one scheme.
 */
export interface OAuthFlows {
  authorizationCode?: AuthorizationCodeOAuthFlow | null;
  clientCredentials?: ClientCredentialsOAuthFlow | null;
  implicit?: ImplicitOAuthFlow | null;
  password?: PasswordOAuthFlow | null;
}

/**
 * An API key.
 */
export interface APIKeySecurityScheme {
  type: 'apiKey';
  description?: string | null;
  in: 'cookie' | 'header' | 'query';
  name: string;
}

/**
 * HTTP authentication.
 */
export interface HTTPAuthSecurityScheme {
  type: 'http';
  description?: string | null;
  scheme: string;
  bearerFormat?: string | null;
}

/**
 * OAuth 2.0.
 */
export interface OAuth2SecurityScheme {
  type: 'oauth2';
  description?: string | null;
  flows: OAuthFlows;
}

/**
 * OpenID Connect.
 */
export interface OpenIdConnectSecurityScheme {
  type: 'openIdConnect';
  description?: string | null;
  openIdConnectUrl: string;
}

/**
 * One skill of an agent.
 */
export interface AgentSkill {
  id: string;
  name: string;
  /**
   * Required by the document.
   */
  description?: string | null;
  /**
   * Required by the document.
   */
  tags?: string[] | null;
  examples?: string[] | null;
  inputModes?: string[] | null;
  outputModes?: string[] | null;
}

/**
 * What an agent says about itself.
 */
export interface AgentCard {
  /**
   * Since 0.2.6.
   */
  protocolVersion?: string | null;
  name: string;
  description: string;
  url: string;
  /**
   * JSONRPC where it is left out.
   */
  preferredTransport?: string | null;
  additionalInterfaces?: AgentInterface[] | null;
  iconUrl?: string | null;
  provider?: AgentProvider | null;
  version: string;
  documentationUrl?: string | null;
  capabilities: AgentCapabilities;
  /**
   * SecurityScheme by name.
   */
  securitySchemes?: Record<string, unknown> | null;
  /**
   * Scopes by scheme; one of the objects is to be met.
   */
  security?: Record<string, unknown>[] | null;
  /**
   * Media types.
   */
  defaultInputModes: string[];
  /**
   * Media types.
   */
  defaultOutputModes: string[];
  skills: AgentSkill[];
  supportsAuthenticatedExtendedCard?: boolean | null;
}
