/** Where people and runners find the account whose API is there: `api.` in front of the host, or `/api/v3` behind it. */
export function webUrl(apiUrl: string, account: string): string {
  const { protocol, host, pathname } = new URL(apiUrl);
  const path = pathname.replace(/\/+$/, '').replace(/\/api\/v3$/, '');
  return `${protocol}//${host.replace(/^api\./, '')}${path}/${account}`;
}
