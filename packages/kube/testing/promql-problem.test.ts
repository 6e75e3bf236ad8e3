import assert from 'node:assert/strict';
import { test } from 'node:test';
import { promqlProblem } from './promql-problem.ts';

test('an expression that Prometheus would not parse is reported with the position', () => {
  const table: readonly [string, string | undefined][] = [
    ['max by (host) (rate(a_total{b!="c"}[15m])) > 2 unless on (host) (d == 1)', undefined],
    ['max(a', 'is not PromQL from “its end” on'],
    ['a{b=c}', 'is not PromQL from “c}” on'],
    ['histogram_quantil(0.9, a)', 'is not PromQL from “(0.9, a)” on'],
  ];
  for (const [expr, problem] of table) assert.equal(promqlProblem(expr), problem, expr);
});
