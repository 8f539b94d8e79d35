#!/bin/sh
# Prints what becomes of the cart when the page is loaded again.
reload=forgotten
echo "$reload"
