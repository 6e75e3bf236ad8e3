import { pathOf, sameScope } from '../../runners/register-runner.ts';
import { notFound } from '../api-error.ts';
import type { Answer, Call, Route } from '../route.ts';

/**
 * What `config.sh` and scale-set clients call first (facts §6.2): trades a registration token for the address of the
 * Actions service and an admin token. It is in no published description. Whatever is wrong, the answer is 404.
 */
export const registrationRoutes: readonly Route[] = [
  { method: 'POST', path: '/actions/runner-registration', as: 'anyone', beside: true, answer: exchange },
];

function exchange({ forge, authorization, body }: Call): Answer {
  const token = /^RemoteAuth +(\S+)$/i.exec(authorization ?? '')?.[1] ?? '';
  const kind = body['runner_event'] === 'remove' ? 'removal' : 'registration';
  const grant = forge.tokens.find(kind, token);
  const { url } = body;
  const scope = typeof url === 'string' ? forge.accounts.findScope(pathOf(url)) : undefined;
  if (!grant || !scope || !sameScope(grant.scope, scope)) throw notFound();
  return {
    status: 200,
    body: {
      url: `${forge.address.api}/_world/actions/${scope.account.id}/`,
      token: forge.tokens.mint({ kind: 'admin', scope }).token,
      token_schema: 'OAuthAccessToken',
      use_v2_flow: false,
    },
  };
}
