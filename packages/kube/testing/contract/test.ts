import { describe as describeTests, test as runTest, type TestContext } from 'node:test';

/** Functions of node:test with return type void, because the test runner awaits their promises. */
export const test = runTest as (sentence: string, body: (context: TestContext) => Promise<void>) => void;
export const describe = describeTests as (title: string, body: () => void) => void;
