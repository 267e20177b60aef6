import { expect, it } from 'vitest';
import { headerHoldsCredential, namesCredential, parameterHoldsCredential } from '../../src/net/credential-names.ts';
import { withoutSecrets } from '../../src/net/url-query.ts';

const names = `
  pwd passwd passphrase pass password Password PASSWORD userPwd user_pwd db-password DB_PASSWORD dbPassword MyPassWord password1
  newPassword passwordConfirm password_confirmation current_password passcode passCode passwordHash pw
  secret secrets clientSecret client_secret CLIENT_SECRET app.secret secretKey secret_key sharedSecret aws_secret_access_key
  apikey apiKey api_key api-key API_KEY ApiKey xApiKey x-api-key X-API-Key apiKeys apiKeyValue openai_api_key
  auth proxyAuth authorization Authorization X-Authorization authCode authorization_code auth_token authToken
  credential credentials userCredentials creds privateKey private_key private-key PrivateKeyPem signingKey encryption_key
  accessKey session sessionToken session_id sessionCookie PHPSESSID jsessionid sid cookie cookies setCookie set-cookie
  otp totp otpCode userOtp pin userPin pin_number pinCode cvv cvc securityCode verification_code mfaCode
  token tokens accessToken access_token refreshToken idToken id_token csrf_token bearer jwt assertion client_assertion
  user[password] account.password passwort motdepasse contraseña seedPhrase sshKey service_account_key hmacKey`
  .trim()
  .split(/\s+/);

const others = `
  name key publicKey primaryKey taskKey idempotencyKey code statusCode postalCode tokenType token_type tokenUrl tokenEndpoint
  pageToken page_token nextPageToken next_page_token passwordPolicy passenger compass bypass pinned pinch spin mapping
  author authors authority authentication sessionState sessions_count secretary keyboard monkey cookieName otpEnabled
  text title description url scheme schemes principal tenant kind state messageId contextId taskId maxTokens_allowed`
  .trim()
  .split(/\s+/);

/** A name as headers have it. */
const kebab = (name: string): string => name.replace(/([a-z\d])([A-Z])/g, '$1-$2').toLowerCase();

it.each(names)('%s is the name of a credential', (name) => {
  expect(namesCredential(name)).toBe(true);
  expect(headerHoldsCredential(kebab(name))).toBe(true);
  expect(parameterHoldsCredential(name)).toBe(true);
});

it.each(others)('%s is not the name of a credential', (name) => {
  expect(namesCredential(name)).toBe(false);
});

it('the name of a credential in headers and parameters may have its word anywhere', () => {
  for (const header of ['x-auth-user', 'cf-access-token-id', 'x-amz-security-token', 'x-pin', 'x-otp'])
    expect(headerHoldsCredential(header)).toBe(true);
  for (const header of ['idempotency-key', 'www-authenticate', 'content-type', 'accept', 'a2a-version'])
    expect(headerHoldsCredential(header)).toBe(false);
  for (const parameter of ['sig', 'X-Amz-Signature', 'code', 'key', 'X-Amz-Credential', 'sv_sig'])
    expect(parameterHoldsCredential(parameter)).toBe(true);
  for (const parameter of ['page_token', 'pageToken', 'design', 'alt', 'q', 'encode', 'statusCode'])
    expect(parameterHoldsCredential(parameter)).toBe(false);
});

it('the name of a credential in a query has its value replaced, and only that', () => {
  const secrets = new Set<string>();
  const shown = withoutSecrets('/a?alt=sse&pwd=hunter%202&X-Pin=1234&user%5Bpass%5D=abc&empty=&token=', secrets);
  expect(shown).toBe('/a?alt=sse&pwd=[secret]&X-Pin=[secret]&user%5Bpass%5D=[secret]&empty=&token=[secret]');
  expect(secrets).toEqual(new Set(['hunter%202', 'hunter 2', '1234', 'abc']));
});
