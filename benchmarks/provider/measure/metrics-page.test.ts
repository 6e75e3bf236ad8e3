import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseMetrics, sumOf } from './metrics-page.ts';

const PAGE = `# HELP rest_client_requests_total API requests by answer
# TYPE rest_client_requests_total counter
rest_client_requests_total{code="200",method="GET",host="127.0.0.1:6443"} 12
rest_client_requests_total{code="404",method="GET",host="127.0.0.1:6443"} 3
rest_client_requests_total{code="200",method="PATCH",host="a\\"b"} 5
up 1
`;

test('sumOf sums a metric over all series, or over those with a label', () => {
  const samples = parseMetrics(PAGE);
  assert.equal(sumOf(samples, 'rest_client_requests_total'), 20);
  assert.equal(sumOf(samples, 'rest_client_requests_total', { method: 'GET' }), 15);
  assert.equal(sumOf(samples, 'up'), 1);
  assert.equal(sumOf(samples, 'not_there'), 0);
});
