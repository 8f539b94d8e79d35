#!/bin/sh
# Prints for how many seconds a session is valid.
lifetime=3600
echo "$lifetime"
