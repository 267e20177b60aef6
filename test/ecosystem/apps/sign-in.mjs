/** `openid-client`: a sign-in at a provider begins, or the version that does not fit is named, and all else works. */
import { equal, match } from 'node:assert/strict';
import { createServer } from 'node:http';
import { checkConfig } from './check-config.mjs';
import { callOver, close, gatewayWith, listening } from './support.mjs';

const provider = createServer((_, response) => {
  const issuer = `http://localhost:${provider.address().port}`;
  const metadata = {
    issuer,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
  };
  response.setHeader('content-type', 'application/json').end(JSON.stringify(metadata));
});
const issuer = await listening(provider);
const settings = {
  auth: { anonymous: true, jwt: { issuer, audience: 'a2a', jwksUrl: `${issuer}/jwks`, scopes: ['admin'] } },
  console: { signIn: { clientId: 'console', scopes: ['admin'] } },
};
const text = `auth: ${JSON.stringify(settings.auth)}\nconsole: ${JSON.stringify(settings.console)}\n`;
const refusal = await checkConfig(text);
if (process.env.REFUSED) {
  match(refusal, new RegExp(process.env.REFUSED));
  const gateway = gatewayWith({ listen: { host: 'localhost', port: 0 } });
  await callOver((await gateway.listen()).url, 'jsonrpc');
  await gateway.close();
} else {
  equal(refusal, '');
  const gateway = gatewayWith({ listen: { host: 'localhost', port: 0 }, ...settings });
  const { url } = await gateway.listen();
  const headers = { 'a2a-gateway-console': '1', 'sec-fetch-site': 'same-origin' };
  const response = await fetch(`${url}/console/sign-in`, { method: 'POST', headers });
  match(await response.text(), /"url":"http:\/\/localhost:\d+\/auth\?.*code_challenge_method=S256/);
  await gateway.close();
}
close(provider);
