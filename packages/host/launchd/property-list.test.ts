import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderPropertyList } from './property-list.ts';

test('a property list is deterministic', () => {
  const one = renderPropertyList({ Label: 'a', KeepAlive: true, ThrottleInterval: 10, UserName: undefined });
  assert.equal(one, renderPropertyList({ ThrottleInterval: 10, KeepAlive: true, Label: 'a' }));
  assert.equal(
    one.split('\n').slice(2).join('\n'),
    `<plist version="1.0">
<dict>
\t<key>KeepAlive</key>
\t<true/>
\t<key>Label</key>
\t<string>a</string>
\t<key>ThrottleInterval</key>
\t<integer>10</integer>
</dict>
</plist>
`,
  );
});

test('property list values and keys are escaped', () => {
  const text = renderPropertyList({ 'a&b': ['--labels=x<1>&y', ''], empty: {}, none: [] });
  assert.match(text, /<key>a&amp;b<\/key>/);
  assert.match(text, /<string>--labels=x&lt;1&gt;&amp;y<\/string>\n\t\t<string><\/string>/);
  assert.match(text, /<dict\/>\n\t<key>none<\/key>\n\t<array\/>/);
});
