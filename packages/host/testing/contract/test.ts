import { describe as describeTests, test as runTest, type TestContext } from 'node:test';

/** The functions of node:test by types that return nothing: their promises are the runner's to wait for. */
export const test = runTest as (sentence: string, body: (context: TestContext) => Promise<void>) => void;
export const describe = describeTests as (title: string, body: () => void) => void;
