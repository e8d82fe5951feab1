import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutRequests } from './without-requests.ts';

test('people are not told to list by a request what the page lets them choose', () => {
  const said = {
    'Is required: servers of this project can only have the sizes of GET /v1/sizes.':
      'Is required: servers of this project can only have the sizes that administrators have made.',
    'No size has the id 7. List the sizes with GET /v1/sizes.': 'No size has the id 7.',
    'No SSH key has the id 7. List the SSH keys with GET /v1/ssh-keys.': 'No SSH key has the id 7.',
    'Is out of use. Choose one of GET /v1/sizes?deprecated=false.':
      'Is out of use. Choose another one.',
    'Must be at most 16.': 'Must be at most 16.',
  };
  for (const [text, shown] of Object.entries(said)) assert.equal(withoutRequests(text), shown);
});
