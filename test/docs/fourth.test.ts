// The documents of the fourth share; see test/support/documents.ts.

import { testDocuments } from "../support/documents.js";

testDocuments(3);
